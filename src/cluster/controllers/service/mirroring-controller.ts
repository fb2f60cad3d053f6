// Writes slices of the Endpoints that are kept by hand, or by somebody else, for a Service without a selector.
import { equal } from "../../../schema/json-value.ts";
import { isInvalid, isNotFound } from "../../../client/api-error.ts";
import { Service } from "../../../kinds/builtin/core.ts";
import { EndpointSlice } from "../../../kinds/builtin/discovery.ts";
import { formatKey, keyOf, parseKey } from "../../../meta/object-key.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { controllerReference } from "../ownership.ts";
import { namedAfter } from "../pod-template.ts";
import { Endpoints, managedByLabel, serviceNameLabel } from "./endpoints.ts";
import {
  families,
  isMirrored,
  mirroredAnnotations,
  mirroredGroups,
  mirroredLabels,
  mirroring,
} from "./mirrored-slices.ts";
import { sliceContents } from "./slice-contents.ts";

/** The controller of mirrored slices. RBAC: `list`, `watch` on services and endpoints; all on endpoint slices. */
export function mirroringController(context: ControllerContext): ControllerDefinition {
  const { cache, client, random, log } = context;
  const services = cache.informer<Service>(Service);
  const slices = cache.informer<EndpointSlice>(EndpointSlice);
  const endpoints = cache.informer<Endpoints>(Endpoints);

  /** The Endpoints that are to be mirrored, if there are any. */
  function mirroredAt(key: string): Endpoints | undefined {
    const service = services.lister.get(parseKey(key));
    const found = endpoints.lister.get(parseKey(key));
    const isOurs = service !== undefined && service.spec.selector === undefined;
    return isOurs && found !== undefined && isMirrored(found) ? found : undefined;
  }

  async function remove(slice: EndpointSlice): Promise<void> {
    try {
      await client.delete(EndpointSlice, keyOf(slice), { preconditions: { uid: slice.metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function mirror(source: Endpoints, present: readonly EndpointSlice[]): Promise<void> {
    const { name, namespace } = source.metadata;
    const labels = mirroredLabels(source);
    const annotations = mirroredAnnotations(source);
    for (const addressType of families) {
      const own = present.filter((slice) => slice.addressType === addressType);
      const contents = sliceContents(mirroredGroups(source, addressType), own);
      const kept = new Set(contents.map(({ present: slice }) => slice));
      for (const { present: slice, ...next } of contents) {
        if (slice === undefined) {
          const ownerReferences = [controllerReference(Endpoints, source)];
          await client.create(EndpointSlice, {
            apiVersion: "discovery.k8s.io/v1",
            kind: "EndpointSlice",
            metadata: { ...namedAfter(name, random), namespace, labels, annotations, ownerReferences },
            addressType,
            ...next,
          });
        } else if (
          !equal(slice.endpoints ?? [], next.endpoints) ||
          !equal(slice.ports ?? [], next.ports) ||
          !equal(slice.metadata.labels, labels) ||
          !equal(slice.metadata.annotations ?? {}, annotations)
        ) {
          await client.update(EndpointSlice, {
            ...slice,
            metadata: { ...slice.metadata, labels, annotations },
            ...next,
          });
        }
      }
      for (const slice of own) if (!kept.has(slice)) await remove(slice);
    }
  }

  async function reconcile(key: string): Promise<undefined> {
    const { namespace, name } = parseKey(key);
    const present = slices.lister
      .list({
        namespace: namespace ?? "",
        matchLabels: { [serviceNameLabel]: name, [managedByLabel]: mirroring },
      })
      .filter((slice) => slice.metadata.deletionTimestamp === undefined)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const source = mirroredAt(key);
    if (source === undefined) {
      for (const slice of present) await remove(slice);
      return undefined;
    }
    try {
      await mirror(source, present);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      log.warn({ endpoints: key, error: error.message }, "mirrored endpoints are refused");
    }
    return undefined;
  }

  return {
    name: "endpoint-mirroring",
    sources: [
      fromInformer(services, (service) => [formatKey(keyOf(service))]),
      fromInformer(endpoints, (each) => [formatKey(keyOf(each))]),
      fromInformer(slices, ({ metadata: { namespace, labels } }) => {
        const name = labels?.[serviceNameLabel];
        return name === undefined || labels?.[managedByLabel] !== mirroring ? [] : [`${namespace}/${name}`];
      }),
    ],
    reconcile,
  };
}
