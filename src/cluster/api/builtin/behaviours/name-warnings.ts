// What is said of names that pods take over as the names of their hosts.
import { labelNameFaults } from "../../../../meta/name-rules.ts";
import type { ApiObject } from "../../api-object.ts";

/** Said of a new object whose pods are named after it. */
export function podNameWarnings(object: ApiObject, previous: ApiObject | undefined): readonly string[] {
  const faults = previous === undefined ? labelNameFaults(object.metadata.name) : [];
  const where = object.kind === "Pod" ? "the Pod's hostname" : "Pod names and hostnames";
  return faults.length === 0
    ? []
    : [
        `metadata.name: this is used in ${where}, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
      ];
}
