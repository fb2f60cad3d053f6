// The parts of an API server without its HTTP side, on a virtual clock, and requests as the router makes them.
import { silentLogger } from "../../../../src/ports/logger.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/testing/virtual-clock.ts";
import type { ApiCore } from "../../../../src/cluster/api/api-core.ts";
import type { ApiObject, Fields } from "../../../../src/cluster/api/api-object.ts";
import { createApiCore } from "../../../../src/cluster/api/create-core.ts";
import { registerDefinitions } from "../../../../src/cluster/api/custom/crd-registrar.ts";
import { adminUser } from "../../../../src/cluster/api/requests/users.ts";
import { parseDeleteQuery } from "../../../../src/cluster/api/options/delete-options.ts";
import { parseListQuery } from "../../../../src/cluster/api/options/list-options.ts";
import { parseWriteQuery } from "../../../../src/cluster/api/options/write-options.ts";
import type { ServedType } from "../../../../src/cluster/api/served-type.ts";
import { StatusError, type Status } from "../../../../src/cluster/api/status-error.ts";
import { createObject } from "../../../../src/cluster/api/verbs/create.ts";
import { deleteObject } from "../../../../src/cluster/api/verbs/delete.ts";
import { toIncomingObject } from "../../../../src/cluster/api/verbs/incoming-object.ts";
import { listObjects, type ObjectPage } from "../../../../src/cluster/api/verbs/list.ts";
import type { WriteObjectRequest } from "../../../../src/cluster/api/verbs/object-request.ts";
import { patchObject, type PatchType } from "../../../../src/cluster/api/verbs/patch.ts";
import { currentObject, updateObject } from "../../../../src/cluster/api/verbs/update.ts";
import { watchObjects } from "../../../../src/cluster/api/verbs/watch.ts";

/** One line of a watch, shortened to what tests look at. */
export interface SeenLine {
  readonly type: string;
  readonly object: ApiObject;
}

/** An API server without HTTP. Paths are `plural` or `plural.group`, then the name. */
export interface TestApi {
  readonly core: ApiCore;
  readonly clock: VirtualClock;
  /** Warnings of the last write. */
  warnings: readonly string[];
  type(resource: string): ServedType;
  create(resource: string, body: Fields, query?: string): ApiObject;
  get(resource: string, name: string): ApiObject;
  update(resource: string, name: string, body: Fields, query?: string): ApiObject;
  patch(resource: string, name: string, type: PatchType, body: unknown, query?: string): ApiObject;
  delete(resource: string, name: string, query?: string): ApiObject | Status;
  list(resource: string, query?: string): ObjectPage;
  /** Starts a watch; lines are added as they come, "end" when the server ends it. */
  watch(resource: string, query?: string): { readonly lines: (SeenLine | "end")[]; stop(): void };
}

/** Creates one. `name` may be `name/subresource`. */
export function createTestApi(
  options: {
    readonly historyLimit?: number;
    /** The one of all namespaced objects; default `default`. */
    readonly namespace?: string;
    /** Default a row of numbers that is always the same. */
    readonly random?: () => number;
  } = {},
): TestApi {
  const { namespace = "default", ...coreOptions } = options;
  const clock = createVirtualClock();
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const core = createApiCore({ clock, random, log: silentLogger, ...coreOptions });
  registerDefinitions(core);
  const type = (resource: string): ServedType => {
    const found = core.registry
      .all()
      .find(({ plural, group }) => resource === (group === "" ? plural : `${plural}.${group}`));
    if (found === undefined) throw new Error(`${resource} is not served`);
    return found;
  };
  const request = (
    resource: string,
    path: string,
    text: string,
    kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
    apply = false,
  ): WriteObjectRequest => {
    const served = type(resource);
    const [name = "", subresource] = path.split("/");
    const warnings: string[] = [];
    api.warnings = warnings;
    return {
      type: served,
      namespace: served.namespaced ? namespace : "",
      name,
      subresource,
      user: adminUser,
      warnings,
      query: parseWriteQuery(new URLSearchParams(text), kind, { userAgent: "tester/1", apply }),
    };
  };
  const api: TestApi = {
    core,
    clock,
    warnings: [],
    type,
    create(resource, body, query = "") {
      const write = request(resource, "", query, "CreateOptions");
      return createObject(core, write, toIncomingObject(write, body));
    },
    get: (resource, name) => currentObject(core, request(resource, name, "", "CreateOptions")),
    update(resource, name, body, query = "") {
      const write = request(resource, name, query, "UpdateOptions");
      return updateObject(core, write, toIncomingObject(write, body));
    },
    patch(resource, name, patchType, body, query = "") {
      const write = request(resource, name, query, "PatchOptions", patchType === "apply");
      return patchObject(core, write, patchType, () => ({
        value: body,
        textFaults: { warnings: [], refusal: "" },
      })).object;
    },
    delete(resource, name, query = "") {
      const options = parseDeleteQuery(new URLSearchParams(query), undefined);
      return deleteObject(core, request(resource, name, "", "CreateOptions"), options);
    },
    list(resource, query = "") {
      const parsed = parseListQuery(new URLSearchParams(query), false);
      return listObjects(core, request(resource, "", "", "CreateOptions"), parsed);
    },
    watch(resource, query = "") {
      const lines: (SeenLine | "end")[] = [];
      const parsed = parseListQuery(new URLSearchParams(`watch=1&${query}`), true);
      const stop = watchObjects(core, request(resource, "", "", "CreateOptions"), parsed, {
        object: (lineType, object) => void lines.push({ type: lineType, object }),
        line: (line) => void lines.push({ type: line.type, object: line.object as ApiObject }),
        end: () => void lines.push("end"),
      });
      return { lines, stop };
    },
  };
  return api;
}

/** The status of what a call throws. */
export function refusalOf(run: () => unknown): Status & { readonly code: number } {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error("was not refused");
}

/** `TYPE name`, as watches are compared. */
export function shorten(lines: readonly (SeenLine | "end")[]): string[] {
  return lines.map((line) =>
    line === "end" ? line : `${line.type} ${line.object.metadata.name ?? ""}`.trim(),
  );
}

/** A ConfigMap. */
export function configMap(name: string, data: Fields = { a: "1" }, metadata: Fields = {}): Fields {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/** A CRD of the kind Thing in example.com. `version` is merged into its only version. */
export function thingDefinition(
  schema: Fields = { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  version: Fields = {},
): Fields {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
      ],
    },
  };
}

/** A Thing. */
export function thing(name: string, content: Fields = {}, metadata: Fields = {}): Fields {
  return { apiVersion: "example.com/v1", kind: "Thing", metadata: { name, ...metadata }, ...content };
}
