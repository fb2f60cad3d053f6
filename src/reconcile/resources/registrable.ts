// What may be registered: a manifest, a resource that is bound to a run, or one of the author's own. Becomes a resource of the run.
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import { TerminalError } from "../../ports/operator-error.ts";
import { fromManifest } from "./kubernetes-resource.ts";
import type { ResourceScope } from "./resource-scope.ts";
import type { Registrable, Resource } from "./resource.ts";

/** The resource that is registered. Errors: `RESOURCE_INVALID` for anything else; gives up. */
export function bindRegistrable<TCR extends KubeObject>(
  registrable: Registrable<TCR>,
  scope: ResourceScope<TCR>,
): Resource {
  if (typeof registrable !== "object" || registrable === null) throw notAResource(registrable);
  if (isManifest(registrable)) return fromManifest<TCR>(registrable).bind(scope);
  if ("bind" in registrable) return registrable.bind(scope);
  if (typeof registrable.lookUp !== "function") throw notAResource(registrable);
  return registrable;
}

/** `Kind/name` of a manifest; undefined for anything else. */
export function manifestNameOf(registrable: object): string | undefined {
  return isManifest(registrable) ? `${registrable.kind}/${registrable.metadata.name}` : undefined;
}

/** A manifest may have fields of any name, but no resource has an API version. */
export function isManifest(registrable: object): registrable is AnyManifest {
  return "apiVersion" in registrable;
}

function notAResource(given: unknown): TerminalError {
  const isPromise = given instanceof Promise;
  const what = isPromise
    ? "a promise"
    : given === null || given === undefined
      ? String(given)
      : "something else";
  return new TerminalError("RESOURCE_INVALID", `registry.add was given ${what} instead of a resource`, {
    remedy: isPromise
      ? "Await it: registry.add(await …), in a hook that is async."
      : "Give it a manifest with apiVersion, kind and metadata, kubernetesResource({ … }), or a Resource of your own.",
  });
}
