// What of a run's earlier cycle holds for the next one: where a hook registers the manifest again that was written, or found as declared, a
// moment ago, nothing of it is looked up, rendered or compared once more. Whatever somebody else changes meanwhile causes a run of its own.
import type { AnyManifest } from "../../meta/object.ts";
import { isSame } from "../comparison/known-intents.ts";
import { RegistryEntry, type EntryFacts } from "./batch.ts";
import { BoundKubernetesResource } from "./bound-kubernetes-resource.ts";
import { isManifest } from "./registrable.ts";

/** The entry of what is registered now, as the former one has left it; undefined where it is not the same. */
export function takenOver(former: RegistryEntry | undefined, facts: EntryFacts): RegistryEntry | undefined {
  const { as, states, named = [] } = facts;
  if (former?.done !== true || former.failure !== undefined || as === undefined) return undefined;
  const isTied = [states, former.states].some((each) => each !== undefined) || named.length > 0;
  const { resource, named: before } = former;
  if (isTied || before.length > 0 || !isManifest(as) || !isManifest(former.registeredAs)) return undefined;
  if (!(resource instanceof BoundKubernetesResource) || !resource.isAsSeen()) return undefined;
  if (!isRenderedFrom(resource.draft, as)) return undefined;
  const entry = new RegistryEntry(resource, facts);
  entry.lookedUp = true;
  entry.mutated = true;
  entry.done = true;
  return entry;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a draft is what comes of a manifest: by what was rendered, as authors may have changed what they have registered. */
function isRenderedFrom(draft: object | undefined, manifest: AnyManifest): boolean {
  if (draft === undefined) return false;
  const { metadata, ...parts } = manifest as unknown as Fields & { readonly metadata: Fields };
  const { metadata: drafted, ...others } = draft as Fields & { readonly metadata: Fields };
  // The namespace follows from the custom resource where it is left out.
  const { namespace = metadata["namespace"], ...named } = drafted;
  const { namespace: given = namespace, ...declared } = metadata;
  return given === namespace && isSame(named, declared) && isSame(others, parts);
}
