// A Kubernetes object as a resource in three parts: what is compared, the initial data, the custom resource's data.
// Declared by authors; bound to a run by the registry, as bound-kubernetes-resource.ts.
import type { AnyManifest, KubeObject, Manifest } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { TerminalError } from "../../ports/operator-error.ts";
import { BoundKubernetesResource } from "./bound-kubernetes-resource.ts";
import { isBuiltinGroup } from "../comparison/list-types.ts";
import { mergeManifest, mergeSharing } from "../comparison/manifest-merge.ts";
import type { BindableResource, MutableResource } from "./resource.ts";
import type { KubernetesResourceOptions } from "./resource-parts.ts";
import type { ResourceScope, TypeOf } from "./resource-scope.ts";

/**
 * Declares a Kubernetes object that belongs to the custom resource.
 *
 * **Guarantees**: no write while the live object holds what is declared, whatever the server and others added; one write
 * when what is declared has changed, a declared field drifted, a field is no longer declared, or the owner reference or
 * our annotation is gone. What the cache does not show is created in a way that changes no object that is there. The object is
 * deleted with its owner.
 * **Errors** (in the run): `RESOURCE_RENAMED` when a part changes name, namespace or kind; `OWNER_SCOPE`;
 * `OWNED_BY_ANOTHER`; `RESOURCE_NOT_OURS` for an object that somebody else has made. All give up, without a write.
 * `RESOURCE_IMMUTABLE` for a change that the server cannot make in place.
 * **RBAC**: `get`, `list`, `watch`, `create`, `patch` on the type; `update` on the custom resource's `finalizers` where
 * the admission plugin OwnerReferencesPermissionEnforcement is on.
 */
export function kubernetesResource<TObject extends KubeObject, TCR extends KubeObject = KubeObject>(
  options: KubernetesResourceOptions<TObject, TCR>,
): BindableResource<TCR> {
  return { bind: (scope) => new BoundKubernetesResource(options, scope) };
}

/** Options of {@link fromManifest}: those of a Kubernetes resource that a manifest does not settle. */
export type ManifestResourceOptions = Pick<
  KubernetesResourceOptions<KubeObject, KubeObject>,
  "ownerReference" | "adopt" | "keep" | "recreate" | "write" | "listKeys"
>;

/**
 * Declares a Kubernetes object by its manifest alone.
 *
 * **Errors** (in the run): `TYPE_UNKNOWN` when the API type of the manifest is not known; gives up.
 */
export function fromManifest<TCR extends KubeObject = KubeObject>(
  manifest: AnyManifest,
  options: ManifestResourceOptions = {},
): BindableResource<TCR> {
  return { bind: (scope) => boundManifest(manifest, options, scope) };
}

/** Options of {@link boundManifest}. */
export interface BoundOptions extends ManifestResourceOptions {
  /** Further annotations, which depend on the live object. */
  readonly annotate?: (live: KubeObject | undefined) => Readonly<Record<string, string>>;
}

/** An object that was bound to a run. */
export interface BoundResource extends MutableResource {
  /** As the run knows it: looked up, or as the last write returned it. */
  readonly live: KubeObject | undefined;
}

/** The object of a manifest within a run. */
export function boundManifest<TCR extends KubeObject>(
  manifest: AnyManifest,
  { annotate, ...options }: BoundOptions,
  scope: ResourceScope<TCR>,
): BoundKubernetesResource<KubeObject, TCR> {
  const type = typeOfManifest(manifest, scope.typeOf);
  const { name, namespace } = manifest.metadata;
  const key = namespace === undefined || namespace === "" ? { name } : { namespace, name };
  const rules = { builtin: isBuiltinGroup(type.group), kind: type.kind };
  const mutateWithInitialData = (object: object, given: { readonly live: KubeObject | undefined }): void => {
    mergeSharing(object, declaredPartOf(manifest), rules);
    const annotations = annotate?.(given.live) ?? {};
    if (Object.keys(annotations).length > 0) mergeManifest(object, { metadata: { annotations } }, rules);
  };
  return new BoundKubernetesResource<KubeObject, TCR>(
    { ...options, type, key, mutateWithInitialData },
    scope,
  );
}

function typeOfManifest(manifest: Manifest, typeOf: TypeOf): ResourceType {
  const { apiVersion, kind } = manifest;
  const type = typeOf(apiVersion, kind);
  if (type !== undefined) return type;
  throw new TerminalError("TYPE_UNKNOWN", `${kind} (${apiVersion}) is not a type this controller knows`, {
    remedy: "Add its type to the controller's owns, or use kubernetesResource with the type.",
  });
}

/** A manifest that was read from a cluster also says what only the server says. */
function declaredPartOf(manifest: Manifest): Manifest {
  const { uid: _uid, resourceVersion: _version, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}
