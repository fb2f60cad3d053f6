// For how long every pod stays on a node that is lost, unless it says so itself.
import { fieldsList, type Fields } from "./api-object.ts";

const tolerations = ["not-ready", "unreachable"].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

/** Adds the tolerations of lost nodes that the spec of a pod does not have, as the admission plugin DefaultTolerationSeconds does. */
export function addLossTolerations(spec: Fields): void {
  const given = fieldsList(spec["tolerations"]);
  const added = tolerations.filter(({ key }) => !given.some((each) => tolerates(each, key)));
  spec["tolerations"] = [...given, ...structuredClone(added)];
}

/** Whether a toleration is about such a taint, which ends pods: one without a key is about all. */
function tolerates({ key = "", effect = "" }: Fields, taint: string): boolean {
  return (key === "" || key === taint) && (effect === "" || effect === "NoExecute");
}
