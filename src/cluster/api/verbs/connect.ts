// CONNECT: a connection to a pod is admitted before the pod is looked for, and what it is asked for with may be changed.
import { admissionGate } from "../admission/admission-gate.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import { textOf } from "../api-object.ts";
import { carryOut } from "./carry-out.ts";
import type { ObjectRequest } from "./object-request.ts";

/** The options of a connection as admission leaves them. Errors: those of admission. */
export function admitConnection(
  core: ApiCore,
  request: ObjectRequest,
  options: Fields,
): Fields | Promise<Fields> {
  const kind = { group: "", version: "v1", kind: textOf(options["kind"]) };
  return carryOut(core, request, (run) => {
    const gate = admissionGate(run, request, { operation: "CONNECT", dryRun: false, options: {}, kind });
    if (gate === undefined) return options;
    // Options are an object without metadata.
    const admitted = gate.mutate(options as ApiObject, undefined);
    gate.validate(admitted, undefined);
    return admitted;
  });
}
