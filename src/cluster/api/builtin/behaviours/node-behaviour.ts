// Nodes: a status with all that is always written, which a new one may bring along, as kubelets do.
import { emptyObjectOf } from "../../../patch/empty-object.ts";
import { ensureFields, fieldsOf, isFields, setDefault, textOf, type Fields } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { builtinSchema, presenceOf } from "../builtin-schemas.ts";

/** `Node` of v1. */
export const nodeBehaviour: TypeBehaviour = {
  keepsGivenStatus: true,
  setDefaults(object) {
    ensureFields(object, "spec");
    const status = ensureFields(object, "status");
    // Everything that it has may be used, where nothing else is said.
    if (status["capacity"] !== undefined)
      setDefault(status, "allocatable", { ...fieldsOf(status["capacity"]) });
    const schema = builtinSchema("io.k8s.api.core.v1.NodeStatus");
    fillIn(
      status,
      emptyObjectOf(schema, (struct, field) => presenceOf(struct, field) === "always"),
    );
  },
  prepare(object, previous) {
    // Kubelets are not configured through the API any more: who has said how, goes on to.
    const before = { spec: fieldsOf(previous?.["spec"]), status: fieldsOf(previous?.["status"]) };
    const [spec, status] = [ensureFields(object, "spec"), ensureFields(object, "status")];
    if (before.spec["configSource"] === undefined) delete spec["configSource"];
    if (before.status["config"] === undefined) delete status["config"];
  },
  warnings: ({ spec }) => [
    ...(isFields(fieldsOf(spec)["configSource"]) ? ["spec.configSource: the feature is removed"] : []),
    ...(textOf(fieldsOf(spec)["externalID"]) === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ],
};

/** Sets what is absent, also in what is there. */
function fillIn(given: Fields, empty: Readonly<Fields>): void {
  for (const [name, value] of Object.entries(empty)) {
    if (isFields(value)) fillIn(ensureFields(given, name), value);
    else setDefault(given, name, value);
  }
}
