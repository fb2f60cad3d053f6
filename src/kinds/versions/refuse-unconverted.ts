// What is done for a custom resource that could not be converted to the version that its controller works with: nothing, as what is
// shown of its spec is not what was written.
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { TerminalError } from "../../ports/operator-error.ts";
import { conversionFailureOf } from "./convert.ts";

/** Gives up on an object that could not be converted. Errors: `RESOURCE_UNCONVERTED`. */
export function refuseUnconverted({ group, version, kind, plural }: ResourceType, object: KubeObject): void {
  const failure = conversionFailureOf(object);
  if (failure === undefined) return;
  const { from, reason } = failure;
  throw new TerminalError("RESOURCE_UNCONVERTED", `its spec could not be converted (${reason})`, {
    fields: { kind, from, to: version, reason },
    remedy: `Correct it as ${from}, as it was written: kubectl edit ${plural}.${from}.${group} ${object.metadata.name}; or write its spec again as ${version}.`,
  });
}
