// The rules by which the API server itself refuses a change that the present state cannot carry out. Pure; read by crd.ts.
// The state is that of the stored object: a status write that was worked out from an older spec conflicts, so that a
// state is never entered with a change that it refuses.
import type { ValidationRule } from "./builtin/json-of.ts";
import type { ChangeRefusal } from "./change-refusals.ts";
import { celName } from "./cel-name.ts";

/** Rules on the whole object, one for each field and message. */
export function changeRules(
  refusals: readonly ChangeRefusal[],
  hasRegions: boolean,
): readonly ValidationRule[] {
  return refusals
    .filter(({ isSayable }) => isSayable)
    .map(({ field, states, message }) => ({
      rule: `${isElsewhere(states, hasRegions)} || (${isSame(["spec", ...field])})`,
      message,
      reason: "FieldValueForbidden",
      fieldPath: `.spec.${field.join(".")}`,
    }));
}

function isElsewhere(states: readonly string[], hasRegions: boolean): string {
  const at = "oldSelf.status.lifecycle.state";
  const absent = ["oldSelf.status", "oldSelf.status.lifecycle", at].map((path) => `!has(${path})`);
  const list = `[${states.map((state) => JSON.stringify(state)).join(", ")}]`;
  const isThere = hasRegions ? `${at}.split(",").exists(leaf, leaf in ${list})` : `${at} in ${list}`;
  return [...absent, `!(${isThere})`].join(" || ");
}

/** Whether a field is what it was, or was and is missing. */
function isSame(field: readonly string[], self = "self", old = "oldSelf"): string {
  const [name = "", ...rest] = field;
  const [now, before] = [`${self}.${celName(name)}`, `${old}.${celName(name)}`];
  const inner = rest.length === 0 ? `${now} == ${before}` : `(${isSame(rest, now, before)})`;
  return `has(${now}) == has(${before}) && (!has(${now}) || ${inner})`;
}
