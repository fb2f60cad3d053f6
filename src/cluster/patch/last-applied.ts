// What `kubectl apply` keeps in an annotation for its next time, where the same object is applied on the server: it is kept equal to what
// was applied there, and what it holds unchanged is no conflict, so that both ways of applying can follow each other.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#migration-between-client-side-and-server-side-apply
import { canonicalJson, isJsonObject, type JsonObject } from "../../schema/json-value.ts";
import { compareValues } from "./compare-values.ts";
import { FieldSet } from "./field-set.ts";
import { toFieldSet } from "./to-field-set.ts";
import type { TypeNode } from "./type-atom.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Whether an apply by this manager minds what was applied on the client. */
export function mindsLastApplied(manager: string, live: JsonObject | undefined): boolean {
  return manager === "kubectl" && lastAppliedOf(live) !== undefined;
}

/** The fields that were applied on the client and are still as they were then. */
export function unchangedSinceApplied(node: TypeNode, live: JsonObject): FieldSet {
  const applied = readObject(lastAppliedOf(live));
  if (applied === undefined) return FieldSet.empty;
  const { modified, added, removed } = compareValues(node, applied, live);
  return toFieldSet(node, applied).difference(modified.union(added).union(removed));
}

/** The object with the manifest as what was last applied on the client. */
export function withLastApplied(object: JsonObject, manifest: JsonObject): JsonObject {
  const given = isJsonObject(manifest["metadata"]) ? manifest["metadata"] : {};
  const annotations = isJsonObject(given["annotations"]) ? given["annotations"] : undefined;
  const { [annotation]: _, ...others } = annotations ?? {};
  const shown = {
    ...manifest,
    metadata: { ...given, ...(annotations === undefined ? {} : { annotations: others }) },
  };
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const kept = isJsonObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const text = `${canonicalJson(shown)}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...kept, [annotation]: text } } };
}

function lastAppliedOf(object: JsonObject | undefined): string | undefined {
  const metadata = object?.["metadata"];
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  const text = isJsonObject(annotations) ? annotations[annotation] : undefined;
  return typeof text === "string" ? text : undefined;
}

function readObject(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Somebody else has written it: it says nothing of what was applied.
    return undefined;
  }
}
