// One act of what controllers are compared in: what is done to both clusters, and when they have come to rest. And the stage on which it
// is done: a namespace of one of the clusters.
import { collectionPath, objectPath } from "../../../src/client/request-path.ts";
import { isNotFound } from "../../../src/client/api-error.ts";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import { discover, type Discovery } from "../../../src/client/resource-discovery.ts";
import type { ResourceType } from "../../../src/meta/resource-type.ts";
import { eventually } from "../../support/eventually.ts";

/** Any object, as tests look into it. */
export interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** One act. */
export interface Act {
  readonly name: string;
  /** Applied first. */
  readonly apply?: readonly Manifest[];
  readonly does?: (stage: Stage) => Promise<unknown>;
  /** Whether it has come to rest; default at once. */
  readonly until?: (stage: Stage) => Promise<boolean>;
  /** Milliseconds until then at most; default 30 s. */
  readonly limit?: number;
}

/** A namespace of a cluster. */
export class Stage {
  readonly #client: KubeClient;
  readonly #namespace: string;
  #served: Promise<Discovery> | undefined;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Applies a manifest. */
  async apply(manifest: Manifest): Promise<unknown> {
    const { apiVersion, kind, metadata } = manifest;
    const path = `${await this.#path(kind, metadata.name, apiVersion)}?fieldManager=test&force=true`;
    return this.#client.request({
      method: "PATCH",
      path,
      contentType: "application/apply-patch+yaml",
      body: manifest,
    });
  }

  /** Changes an object by a merge patch. */
  async patch(kind: string, name: string, body: object, subresource = ""): Promise<unknown> {
    const path = `${await this.#path(kind, name)}${subresource === "" ? "" : `/${subresource}`}`;
    return this.#client.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  }

  /** Deletes an object. */
  async remove(kind: string, name: string, propagationPolicy = "Background"): Promise<unknown> {
    return this.#client.request({
      method: "DELETE",
      path: await this.#path(kind, name),
      body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy },
    });
  }

  /** An object, if it is there. */
  async find(kind: string, name: string): Promise<Seen | undefined> {
    try {
      return (await this.#client.request({ method: "GET", path: await this.#path(kind, name) })) as Seen;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** All objects of a kind whose labels contain `app: name`, or all there are. */
  async list(kind: string, app?: string): Promise<readonly Seen[]> {
    const query = app === undefined ? "" : `?labelSelector=app%3D${app}`;
    const { items } = (await this.#client.request({
      method: "GET",
      path: `${await this.#path(kind)}${query}`,
    })) as { readonly items: readonly Seen[] };
    return items;
  }

  /** Whether a field of the status of an object has a value. */
  async has(kind: string, name: string, status: Readonly<Record<string, unknown>>): Promise<boolean> {
    const found = await this.find(kind, name);
    return Object.entries(status).every(([field, value]) => found?.status?.[field] === value);
  }

  /** Whether an object has a condition with this status. */
  async isSaid(kind: string, name: string, type: string, status = "True", reason?: string): Promise<boolean> {
    const conditions = (await this.find(kind, name))?.status?.["conditions"] as
      readonly { readonly type: string; readonly status: string; readonly reason?: string }[] | undefined;
    return (
      conditions?.some(
        (each) =>
          each.type === type && each.status === status && (reason === undefined || each.reason === reason),
      ) ?? false
    );
  }

  /** Whether a kind has no objects of this `app` any more. */
  async isEmpty(kind: string, app: string): Promise<boolean> {
    return (await this.list(kind, app)).length === 0;
  }

  async #path(kind: string, name?: string, apiVersion?: string): Promise<string> {
    this.#served ??= discover(this.#client, new AbortController().signal);
    const served = await this.#served;
    const type: ResourceType | undefined =
      apiVersion === undefined
        ? served.preferred.find((each) => each.type.kind === kind)?.type
        : served.find(apiVersion, kind)?.type;
    if (type === undefined) throw new Error(`nobody serves ${kind}`);
    const key = type.namespaced ? { namespace: this.#namespace } : {};
    return name === undefined
      ? collectionPath(type, type.namespaced ? this.#namespace : undefined)
      : objectPath(type, { ...key, name });
  }
}

/** Waits until something is so. */
export function soon(isSo: () => Promise<boolean>, limit?: number): Promise<void> {
  return eventually(async () => {
    if (!(await isSo())) throw new Error(`not yet: ${isSo.toString()}`);
  }, limit);
}

/** A template of pods that are labelled `app: name`. */
export function template(app: string, image = "1", more: object = {}, labels: object = {}): object {
  return {
    metadata: { labels: { app, ...labels } },
    spec: {
      automountServiceAccountToken: false,
      containers: [{ name: "main", image: `${app}:${image}` }],
      ...more,
    },
  };
}

/** Pods that have it run, and are never ready. */
export const neverReady = { readinessGates: [{ conditionType: "example.com/ready" }] };

/** A workload of apps/v1 whose pods are labelled `app: name`. */
export function workload(kind: string, name: string, pods: object, spec: object = {}): Manifest {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: pods, ...spec },
  };
}
