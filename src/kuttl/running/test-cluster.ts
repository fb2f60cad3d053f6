// A cluster as tests use it: its objects by the apiVersion and kind that manifests have, whatever types it serves at this moment.
import { findServedType } from "../../client/resource-discovery.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import { isNotFound } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import type { AnyManifest, AnyObject, KubeObject } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { WrittenObject } from "../files/read-documents.ts";

/** What names a type in a manifest. */
type Typed = Pick<WrittenObject, "apiVersion" | "kind">;

/** A type, and the object of it that is meant. */
export interface PlacedType {
  readonly type: ResourceType<AnyObject>;
  /** Absent when it has no name. */
  readonly key: ObjectKey | undefined;
  /** Absent for a type of the whole cluster. */
  readonly namespace: string | undefined;
}

/** One cluster, for as long as tests run on it. */
export class TestCluster {
  readonly client: KubeClient;
  /** The file by which commands reach it. */
  readonly kubeconfig: string;
  readonly #types = new Map<string, ResourceType<AnyObject>>();

  constructor(client: KubeClient, kubeconfig: string) {
    this.client = client;
    this.kubeconfig = kubeconfig;
  }

  /**
   * The type of an object, and where it is: in its own namespace, or in that of the test.
   *
   * **Errors**: `TEST_KIND_UNKNOWN` while the cluster does not serve it.
   */
  async place(
    object: Typed & Partial<Pick<WrittenObject, "metadata">>,
    namespace: string,
    signal: AbortSignal,
  ): Promise<PlacedType> {
    const type = await this.#typeOf(object, signal);
    const { name, namespace: own } = (object.metadata ?? {}) as { name?: string; namespace?: string };
    const where = type.namespaced ? (own ?? namespace) : undefined;
    const key = name === undefined ? undefined : where === undefined ? { name } : { namespace: where, name };
    return { type, key, namespace: where };
  }

  /** An object, or undefined when there is none. */
  async read<T extends KubeObject>(
    { type, key }: { readonly type: ResourceType<T>; readonly key: ObjectKey | undefined },
    signal: AbortSignal,
  ): Promise<T | undefined> {
    if (key === undefined) return undefined;
    try {
      return await this.client.get(type, key, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The objects of a type where it is looked for, with these labels. */
  async list(
    { type, namespace }: PlacedType,
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly AnyObject[]> {
    const labelSelector = Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(",");
    const { items } = await listAll(this.client, type, {
      signal,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === "" ? {} : { labelSelector }),
    });
    return items;
  }

  /** Creates an object, or merges it into the one that is there. */
  async put(object: WrittenObject, namespace: string, signal: AbortSignal): Promise<PutObject> {
    const place = await this.place(object, namespace, signal);
    const { type, key } = place;
    const metadata = {
      ...object.metadata,
      ...(place.namespace === undefined ? {} : { namespace: place.namespace }),
    };
    const manifest = { ...object.value, metadata } as unknown as AnyManifest;
    const present = await this.read(place, signal);
    if (present === undefined || key === undefined) {
      const created = await this.client.create(type, manifest, { signal });
      return { type, key: { ...key, ...keyIn(created) }, isNew: true };
    }
    await this.client.patch(type, key, { type: "merge", body: manifest }, { signal });
    return { type, key, isNew: false };
  }

  async #typeOf({ apiVersion, kind }: Typed, signal: AbortSignal): Promise<ResourceType<AnyObject>> {
    const name = `${apiVersion}/${kind}`;
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const found = await findServedType(this.client, apiVersion, kind, signal);
    if (found === undefined) {
      throw new OperatorError("TEST_KIND_UNKNOWN", `the cluster has no kind ${kind} in ${apiVersion}`, {
        remedy: "Install its definition before: crdDir, an earlier step, or --operator.",
      });
    }
    this.#types.set(name, found as ResourceType<AnyObject>);
    return found as ResourceType<AnyObject>;
  }
}

/** What was put on the cluster. */
export interface PutObject {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** Whether it was not there before. */
  readonly isNew: boolean;
}

function keyIn({ metadata: { name, namespace } }: AnyObject): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}
