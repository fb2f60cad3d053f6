// Writes down which pods stand behind each service: an Endpoints object of the service's name, and EndpointSlices.
import { equal } from "../../../schema/json-value.ts";
import { isAlreadyExists, isInvalid, isNotFound } from "../../../client/api-error.ts";
import type { EndpointPort } from "../../../kinds/builtin/parts.ts";
import { Node, Pod, Service } from "../../../kinds/builtin/core.ts";
import { EndpointSlice } from "../../../kinds/builtin/discovery.ts";
import type { ManifestOf } from "../../../meta/object.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import type { Change } from "../../../cache/informer.ts";
import { controllerReference } from "../ownership.ts";
import { namedAfter } from "../pod-template.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { Endpoints, managedByLabel, serviceNameLabel, type EndpointsSubset } from "./endpoints.ts";
import { sliceContents } from "./slice-contents.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";
import {
  addressOf,
  type Backend,
  backendsOf,
  endpointOf,
  groupByPorts,
  selectedBy,
} from "../../pods/service-backends.ts";

const manager = "endpointslice-controller.k8s.io";
const zoneLabel = "topology.kubernetes.io/zone";

/** The service's labels; those of a headless one say so. */
function labelsOf({ metadata, spec }: Service): Readonly<Record<string, string>> {
  return {
    ...metadata.labels,
    ...(spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
  };
}

/** The controller of endpoints. RBAC: `list`, `watch` on services, pods and nodes; all on endpoints and endpoint slices. */
export function endpointsController(context: ControllerContext): ControllerDefinition {
  const { cache, client, random, log } = context;
  const services = cache.informer<Service>(Service);
  const pods = cache.informer<Pod>(Pod);
  const slices = cache.informer<EndpointSlice>(EndpointSlice);
  const endpoints = cache.informer<Endpoints>(Endpoints);
  const nodes = cache.informer<Node>(Node);
  const zoneOf = (name: string): string | undefined =>
    nodes.lister.get({ name })?.metadata.labels?.[zoneLabel];

  function servicesFor(pod: Pod): readonly string[] {
    const { namespace, labels = {} } = pod.metadata;
    return services.lister
      .list({ namespace })
      .filter(
        ({ spec }) => spec.selector !== undefined && isSelectedBy({ matchLabels: spec.selector }, labels),
      )
      .map((service) => `${namespace}/${service.metadata.name}`);
  }

  const everyService = (): readonly string[] =>
    services.lister.list().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

  const times = new TriggerTimes();

  async function writeEndpoints(
    service: Service,
    groups: readonly (readonly Backend[])[],
    time: string | undefined,
  ): Promise<void> {
    // A pod that has none of the ports of a service is no address of it.
    const reached = groups.filter((group) => portsOf(group).length > 0 || service.spec.ports === undefined);
    const subsets = reached.map((group) => subsetOf(group, service) as EndpointsSubset);
    const present = endpoints.lister.get(keyOf(service));
    const labels = {
      ...labelsOf(service),
      "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    };
    if (present !== undefined) {
      if (equal(present.subsets ?? [], subsets) && equal(present.metadata.labels, labels)) return;
      const annotations = withTriggerTime(present.metadata.annotations, time);
      await client.update(Endpoints, {
        ...present,
        metadata: { ...present.metadata, labels, annotations },
        subsets,
      });
      return;
    }
    const { name, namespace } = service.metadata;
    const annotations = withTriggerTime(undefined, time);
    await client.create(Endpoints, {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name, namespace, labels, annotations },
      subsets,
    });
  }

  async function writeSlices(
    service: Service,
    groups: readonly (readonly Backend[])[],
    time: string | undefined,
  ): Promise<void> {
    const { name, namespace } = service.metadata;
    const labels = { ...labelsOf(service), [serviceNameLabel]: name, [managedByLabel]: manager };
    const present = slices.lister
      .list({ namespace, matchLabels: { [serviceNameLabel]: name, [managedByLabel]: manager } })
      .filter((slice) => slice.metadata.deletionTimestamp === undefined)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    // A service without pods has one empty slice, as in Kubernetes.
    const wanted = (groups.length === 0 ? [[]] : groups).map((group) => ({
      ports: portsOf(group),
      endpoints: group.map((backend) => endpointOf(backend, service, zoneOf)),
    }));
    const contents = sliceContents(wanted, present);
    for (const { present: slice, ...next } of contents) {
      if (slice === undefined) {
        await client.create(EndpointSlice, newSlice(service, next, time));
      } else if (
        !equal(slice.endpoints ?? [], next.endpoints) ||
        !equal(slice.ports ?? [], next.ports) ||
        !equal(slice.metadata.labels, labels)
      ) {
        const annotations = withTriggerTime(slice.metadata.annotations, time);
        await client.update(EndpointSlice, {
          ...slice,
          metadata: { ...slice.metadata, labels, annotations },
          ...next,
        });
      }
    }
    const kept = new Set(contents.map(({ present: slice }) => slice));
    for (const { metadata } of present.filter((slice) => !kept.has(slice))) {
      await client.delete(EndpointSlice, keyOf({ metadata }), { preconditions: { uid: metadata.uid } });
    }
  }

  function newSlice(
    service: Service,
    content: Pick<EndpointSlice, "ports" | "endpoints">,
    time: string | undefined,
  ): ManifestOf<EndpointSlice> {
    const { name, namespace } = service.metadata;
    return {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        ...namedAfter(name, random),
        namespace,
        labels: { ...labelsOf(service), [serviceNameLabel]: name, [managedByLabel]: manager },
        annotations: withTriggerTime(undefined, time),
        ownerReferences: [controllerReference(Service, service)],
      },
      addressType: "IPv4",
      ...content,
    };
  }

  async function removeEndpoints(key: string): Promise<void> {
    const present = endpoints.lister.get(parseKey(key));
    if (present?.metadata.labels?.["endpoints.kubernetes.io/managed-by"] === undefined) return;
    try {
      await client.delete(Endpoints, keyOf(present), { preconditions: { uid: present.metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function reconcile(key: string): Promise<undefined> {
    const service = services.lister.get(parseKey(key));
    // Its slices go with it by their owner reference.
    if (service === undefined) {
      times.forget(key);
      await removeEndpoints(key);
      return undefined;
    }
    if (service.spec.selector === undefined || service.spec.type === "ExternalName") return undefined;
    const { namespace } = service.metadata;
    const selected = selectedBy(service, pods.lister.list({ namespace }));
    const groups = groupByPorts(backendsOf(service, selected));
    const time = times.timeOf(service, selected);
    try {
      await writeEndpoints(service, groups, time);
      await writeSlices(service, groups, time);
      times.remember(service, selected);
    } catch (error) {
      if (isAlreadyExists(error)) throw error;
      // A server that refuses loopback addresses, as Kubernetes does, refuses them for ever.
      if (!isInvalid(error)) throw error;
      log.warn({ service: key, error: error.message }, "endpoints are refused");
    }
    return undefined;
  }

  return {
    name: "endpoints",
    sources: [
      fromInformer(services, (service) => [`${service.metadata.namespace}/${service.metadata.name}`]),
      fromInformer(pods, servicesFor),
      fromInformer(slices, (slice) => {
        const name = slice.metadata.labels?.[serviceNameLabel];
        return name === undefined ? [] : [`${slice.metadata.namespace}/${name}`];
      }),
      fromInformer(nodes, everyService, isMoved),
      fromInformer(endpoints, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]),
    ],
    reconcile,
  };
}

/** Whether a node is in another zone than before. */
function isMoved(change: Change<Node>): boolean {
  const before = change.type === "modified" ? change.old.metadata.labels?.[zoneLabel] : undefined;
  return change.object.metadata.labels?.[zoneLabel] !== before;
}

function portsOf(group: readonly Backend[]): readonly EndpointPort[] {
  return group[0]?.ports ?? [];
}

function subsetOf(group: readonly Backend[], service: Service): object {
  const ready = group.filter((backend) => backend.ready).map((backend) => addressOf(backend, service));
  const notReady = group.filter((backend) => !backend.ready).map((backend) => addressOf(backend, service));
  const ports = portsOf(group).map(({ name, ...port }) => (name === "" ? port : { name, ...port }));
  return {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}
