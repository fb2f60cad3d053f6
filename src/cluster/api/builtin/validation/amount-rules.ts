// Amounts that are a number or a share of what there is.
import { invalidValue } from "../../../../schema/status-cause.ts";
import { textOf } from "../../api-object.ts";
import type { Rule } from "./rule.ts";

const shareFault =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

function amount(isUnbounded: (at: string) => boolean): Rule {
  return (value, at) => {
    if (typeof value === "number") {
      return value >= 0 ? [] : [invalidValue(at, value, "must be greater than or equal to 0")];
    }
    if (value === undefined) return [];
    const written = textOf(value);
    if (!/^\d+%$/.test(written)) return [invalidValue(at, value, shareFault)];
    const isShare = Number(written.slice(0, -1)) <= 100 || isUnbounded(at);
    return isShare ? [] : [invalidValue(at, value, "must not be greater than 100%")];
  };
}

/** What a number or a share of something must look like; more than all there are may be added at once. */
export const amountOrShare: Rule = amount((at) => at.endsWith(".maxSurge"));

/** The same, where nothing may be more than all there are. */
export const amountOrWhole: Rule = amount(() => false);
