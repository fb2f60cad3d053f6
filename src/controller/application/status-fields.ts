// The fields of the status that an author derives from the lifecycle, by `statusOf`: what it returned is checked against the
// kind's schema, as the server would drop or refuse what does not fit, and with it the lifecycle.
import type { Kind } from "../../kinds/define-kind.ts";
import { ownStatusFields } from "../../kinds/status-conditions.ts";
import type { KubeObject } from "../../meta/object.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { StatusFields } from "../../reconcile/status/status-draft.ts";

/** Checks what `statusOf` has returned; once for each kind. Errors (of the check): `HOOK_RESULT_INVALID`. */
export function statusFieldsReader({
  kind,
  statusSchema,
}: Pick<Kind<KubeObject>, "kind" | "statusSchema">): (returned: unknown) => StatusFields {
  const known = Object.keys(statusSchema?.shape ?? {});
  const schema = statusSchema?.partial();
  const invalid = (what: string, remedy: string): OperatorError =>
    new OperatorError("HOOK_RESULT_INVALID", `statusOf returned ${what}`, {
      fields: { hook: "statusOf", kind },
      remedy,
    });
  return (returned) => {
    if (returned === undefined || returned === null) return {};
    if (typeof returned !== "object" || Array.isArray(returned) || returned instanceof Promise) {
      const what =
        returned instanceof Promise
          ? "a promise"
          : Array.isArray(returned)
            ? "a list"
            : `a ${typeof returned}`;
      throw invalid(
        `${what}, but must return an object of status fields, or nothing`,
        "Return an object such as { endpoint: … }. What takes time belongs into observe, which may return it among its facts.",
      );
    }
    for (const name of Object.keys(returned)) {
      if (known.includes(name)) continue;
      if (ownStatusFields.includes(name)) {
        throw invalid(`"${name}", which the operator itself writes`, "Leave it out.");
      }
      const meant = meantBy(name, known);
      throw invalid(
        `"${name}", which the status of ${kind} does not have`,
        meant === undefined
          ? "Add the field to the status schema of defineKind."
          : `Did you mean "${meant}"?`,
      );
    }
    const present = Object.entries(returned).filter(([, value]) => value !== undefined && value !== null);
    const parsed = schema?.safeParse(Object.fromEntries(present));
    if (parsed?.success === false) {
      const [issue] = parsed.error.issues;
      const path = (issue?.path ?? []).map(String).join(".");
      throw invalid(
        `a value of "${path}" that does not fit its schema: ${issue?.message}`,
        `Return what the status schema of ${kind} declares; null removes a field.`,
      );
    }
    return returned as StatusFields;
  };
}
