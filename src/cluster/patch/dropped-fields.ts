// What an applier no longer sets goes out of the merged object, unless somebody else owns it, in whatever version.
// The part of server-side apply that removes.
import type { JsonObject } from "../../schema/json-value.ts";
import { isJsonObject } from "../../schema/json-value.ts";
import { FieldSet } from "./field-set.ts";
import type { ManagedEntry, ManagedFields } from "./managed-fields.ts";
import { withNamedFields } from "./named-field-members.ts";
import { convertedWith, type Writer } from "./record-update.ts";
import { removeItems } from "./remove-items.ts";
import { toFieldSet } from "./to-field-set.ts";
import { typeNodeOf } from "./type-atom.ts";
import type { TypeNode } from "./type-atom.ts";

/** Objects as one version of their type sees them. */
interface VersionView {
  readonly node: TypeNode;
  convert(object: unknown): JsonObject;
}

/** The merged object without what the applier has dropped since its last apply; `managers` know of what it applies now. */
export function withoutDropped(
  writer: Writer,
  merged: unknown,
  last: ManagedEntry,
  managers: ManagedFields,
): unknown {
  const view = viewOf(writer, last.identity.apiVersion);
  if (view === undefined) return merged;
  const whole = convertedWith(
    "failed to prune fields: failed to convert merged object to last applied version",
    () => view.convert(merged),
  );
  const lastFields = withNamedFields(view.node, last.fields);
  const left = withOwned(writer, whole, removeItems(view.node, whole, lastFields), last, managers);
  // What went only because something around it went is put back.
  const gone = fieldsIn(view, whole).difference(fieldsIn(view, view.convert(left)));
  const result = removeItems(view.node, whole, gone.intersection(lastFields));
  return viewOf(writer, writer.apiVersion)?.convert(result) ?? result;
}

/** What is left, with what managers own in their versions put back: first in that of the last apply. */
function withOwned(
  writer: Writer,
  merged: JsonObject,
  pruned: unknown,
  last: ManagedEntry,
  managers: ManagedFields,
): unknown {
  const owned = new Map([[last.identity.apiVersion, FieldSet.empty]]);
  for (const { identity, fields } of managers.values()) {
    owned.set(identity.apiVersion, fields.union(owned.get(identity.apiVersion) ?? FieldSet.empty));
  }
  let whole = merged;
  let left = pruned;
  for (const [apiVersion, fields] of owned) {
    const view = viewOf(writer, apiVersion);
    if (view === undefined) continue;
    const said = `failed to prune fields: failed add back owned items: failed to convert merged object at version ${apiVersion}`;
    const from = whole;
    whole = convertedWith(said, () => view.convert(from));
    const kept = fieldsIn(view, view.convert(left)).union(withNamedFields(view.node, fields));
    left = removeItems(view.node, whole, fieldsIn(view, whole).difference(kept));
  }
  return left;
}

function fieldsIn({ node }: VersionView, object: JsonObject): FieldSet {
  return withNamedFields(node, toFieldSet(node, object));
}

/** Undefined for a version that is not there any more. */
function viewOf({ schema, otherVersion }: Writer, apiVersion: string): VersionView | undefined {
  const asObject = (object: unknown): JsonObject => (isJsonObject(object) ? object : {});
  if (otherVersion === undefined) return { node: typeNodeOf(schema), convert: asObject };
  const other = otherVersion(apiVersion);
  return other && { node: typeNodeOf(other.schema), convert: (object) => other.convert(asObject(object)) };
}
