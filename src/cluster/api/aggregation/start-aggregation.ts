// API aggregation: what an APIService says is served by another server is asked there. This joins what has to be done for it beside the
// requests themselves: the APIServices of what is served here, the conditions of the others, and what their servers say they serve.
import { setCondition, type Condition } from "../../../meta/condition.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, listOf, type ApiObject } from "../api-object.ts";
import {
  apiServiceSpace,
  findExtension,
  listExtensions,
  readApiService,
  type ExtensionService,
} from "../discovery/api-services.ts";
import { frontProxyName, type SignedCertificate } from "../http/tls.ts";
import { createCoreClient } from "../in-process/core-client.ts";
import { publishAuthentication } from "../initial-objects.ts";
import type { Exchange } from "../requests/exchange.ts";
import { segmentsOf } from "../requests/request-path.ts";
import { putStatus } from "../verbs/server-status.ts";
import type { ExtensionSource } from "./ask-extension.ts";
import { availabilityOf } from "./availability.ts";
import { ExtensionConnections } from "./extension-connections.ts";
import { discoverExtension } from "./extension-discovery.ts";
import { openApiV2Of, openApiV3Of } from "./extension-open-api.ts";
import { runRefresh } from "./keyed-refresh.ts";
import { LocalApiServices, namesOfDefinition } from "./local-api-services.ts";
import { passOn } from "./pass-on.ts";
import { remoteHeaders } from "./remote-user.ts";

/** Options of {@link startAggregation}. */
export interface AggregationOptions {
  /** How this server shows other servers who it is; its authority is published. */
  readonly frontProxy: SignedCertificate;
  /** Who signs for this cluster, PEM. */
  readonly authority: string;
}

/** Aggregation that runs. */
export interface Aggregation {
  /** Who answers a path, if it is another server. */
  serverOf(path: string): ExtensionService | undefined;
  /** Answers a request that has been allowed by asking that server. Errors: StatusError. */
  passOn(exchange: Exchange, service: ExtensionService): Promise<void>;
  /** Idempotent. */
  stop(): Promise<void>;
}

/** Milliseconds after which it is looked again whether a server is there, and what it serves. */
const recheck = { availability: 30_000, documents: 60_000 };

/** Starts it on what is stored. */
export function startAggregation(core: ApiCore, { frontProxy, authority }: AggregationOptions): Aggregation {
  const { store, extensions } = core;
  const connections = new ExtensionConnections(frontProxy);
  const source: ExtensionSource = { core, connections };
  const local = new LocalApiServices(core, createCoreClient({ core, userAgent: "kube-apiserver" }));

  const own = runRefresh(core, {
    name: "keeping the APIService of what is served here",
    backoff: { base: 5, max: 30_000 },
    workers: 1,
    async refresh(name) {
      await local.settle(name);
      return undefined;
    },
  });
  const availability = runRefresh(core, {
    name: "looking whether the server of an APIService is there",
    backoff: { base: 5, max: 30_000 },
    workers: 5,
    refresh: (name) => lookAt(source, name),
  });
  const documents = runRefresh(core, {
    name: "asking the server of an APIService what it serves",
    backoff: { base: 500, max: 60_000 },
    workers: 2,
    refresh: (name) => read(source, name),
  });

  const changed = (name: string): void => {
    own.add(name);
    availability.add(name);
    documents.add(name);
  };
  const reached = ({ metadata: { namespace = "" } }: ApiObject, name: string | undefined): void => {
    for (const { service, name: apiService } of listExtensions(store)) {
      if (service.namespace === namespace && service.name === name) availability.add(apiService);
    }
  };
  const stopPublishing = publishAuthentication(core, authenticationData(authority, frontProxy.authority));
  const unsubscribe = [
    store.subscribe(apiServiceSpace, ({ object }) => changed(object.metadata.name)),
    store.subscribe("customresourcedefinitions.apiextensions.k8s.io", ({ object, previous }) => {
      for (const each of [object, previous]) {
        if (each !== undefined) namesOfDefinition(each).forEach(own.add);
      }
    }),
    ...["services", "endpoints"].map((space) =>
      store.subscribe(space, ({ object }) => reached(object, object.metadata.name)),
    ),
    store.subscribe("endpointslices.discovery.k8s.io", ({ object }) =>
      reached(object, object.metadata.labels?.["kubernetes.io/service-name"]),
    ),
    stopPublishing,
  ];
  local.names().forEach(changed);

  let stopped: Promise<void> | undefined;
  return {
    serverOf: (path) => serverOf(core, path),
    passOn: (exchange, service) => passOn(source, exchange, service),
    stop: () =>
      (stopped ??= (async () => {
        for (const each of unsubscribe) each();
        connections.close();
        await Promise.all([own.stop(), availability.stop(), documents.stop()]);
        for (const { name } of listExtensions(store)) extensions.forget(name);
      })()),
  };
}

/** What extension servers read of how users are made known to them. */
function authenticationData(
  authority: string,
  frontProxyAuthority: string,
): Readonly<Record<string, string>> {
  const list = (text: string): string => JSON.stringify([text]);
  return {
    "client-ca-file": authority,
    "requestheader-allowed-names": list(frontProxyName),
    "requestheader-client-ca-file": frontProxyAuthority,
    "requestheader-extra-headers-prefix": list(remoteHeaders.extraPrefix),
    "requestheader-group-headers": list(remoteHeaders.group),
    "requestheader-uid-headers": list(remoteHeaders.uid),
    "requestheader-username-headers": list(remoteHeaders.user),
  };
}

/** Of `/apis/GROUP/VERSION…` the APIService says it, of an OpenAPI document who has said that he has it. */
function serverOf({ store, registry, extensions }: ApiCore, path: string): ExtensionService | undefined {
  const [root, ...rest] = segmentsOf(path);
  if (root === "apis") {
    const [group = "", version = ""] = rest;
    return findExtension(store, group, version);
  }
  if (root !== "openapi" || rest[0] !== "v3" || extensions.openApiV3.size === 0) return undefined;
  const document = rest.slice(1).join("/");
  const [, group = "", version = ""] = rest.slice(1);
  if (registry.ofGroupVersion(group, version).length > 0) return undefined;
  return listExtensions(store).find(({ name }) =>
    Object.hasOwn(extensions.openApiV3.get(name) ?? {}, document),
  );
}

/** Sets the condition; milliseconds until the next look. Errors: the server cannot be asked, which the condition says by then. */
async function lookAt(source: ExtensionSource, name: string): Promise<number | undefined> {
  const { store, registry, clock } = source.core;
  const before = store.get(apiServiceSpace, undefined, name);
  if (before === undefined) return undefined;
  const service = readApiService(before);
  const found = await availabilityOf(source, service);
  // It may have changed meanwhile; then it is looked at again.
  const object = store.get(apiServiceSpace, undefined, name);
  const type = registry.find("apiregistration.k8s.io", "v1", "apiservices");
  if (object === undefined || type === undefined || object["spec"] !== before["spec"]) return undefined;
  const status = fieldsOf(object["status"]);
  const present = listOf(status["conditions"]) as readonly Condition[];
  const conditions = setCondition(present, found, clock.now());
  if (conditions !== present) putStatus(source.core, type, object, { ...status, conditions });
  if (found.reason === "FailedDiscoveryCheck") throw new Error(found.message);
  return service.service === undefined ? undefined : recheck.availability;
}

/** Keeps what the server serves; milliseconds until it is asked again. Errors: it cannot be asked. */
async function read(source: ExtensionSource, name: string): Promise<number | undefined> {
  const { store, extensions } = source.core;
  const find = (): ExtensionService | undefined => listExtensions(store).find((each) => each.name === name);
  const service = find();
  if (service === undefined) {
    extensions.forget(name);
    return undefined;
  }
  try {
    const resources = await discoverExtension(source, service);
    if (find() !== undefined) extensions.resources.set(name, { resources, isCurrent: true });
  } catch (error) {
    extensions.resources.set(name, { resources: [], isCurrent: false });
    throw error;
  }
  const [v3, v2] = await Promise.all([openApiV3Of(source, service), openApiV2Of(source, service)]);
  extensions.forgetOpenApi(name);
  if (find() === undefined) return undefined;
  if (v3 !== undefined) extensions.openApiV3.set(name, v3);
  if (v2 !== undefined) extensions.openApiV2.set(name, v2);
  return recheck.documents;
}
