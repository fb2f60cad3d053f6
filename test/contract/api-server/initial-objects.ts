// Everything that an API server has stored, as lines that can be compared: type, name and content.
import type { Body, RawClient } from "./raw-request.ts";

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
/** Of the metadata, what is the same after each start. */
const kept = ["generation", "labels", "annotations", "finalizers"];

/** A line for each object, in the order of types and names. */
export async function initialObjects(client: Pick<RawClient, "send">): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const root of ["/api", "/apis"]) {
    const { body } = await client.send("GET", root, undefined, { accept });
    for (const { metadata, versions } of (body as unknown as Discovery).items) {
      for (const { version, resources } of versions) {
        const group = metadata.name ?? "";
        for (const { resource, verbs } of resources) {
          if (!verbs.includes("list")) continue;
          const of = group === "" ? version : `${group}/${version}`;
          const path = `${root}/${of}/${resource}`;
          const list = await client.send("GET", path);
          const items = (list.body["items"] ?? []) as readonly Body[];
          lines.push(...items.map((item) => lineOf(`${of} ${resource}`, item)));
        }
      }
    }
  }
  return lines.toSorted((one, other) => (one < other ? -1 : 1));
}

function lineOf(type: string, { metadata, ...content }: Body): string {
  const all = metadata as Body & { readonly namespace?: string; readonly name: string };
  const place = all.namespace === undefined ? "" : `${all.namespace}/`;
  if (isLease(type, all.name)) return `${type} ${place}apiserver-* {}`;
  const meta = Object.fromEntries(kept.map((field) => [field, all[field]]));
  return `${type} ${place}${all.name} ${withoutPlaces(JSON.stringify(ordered({ ...meta, ...content })))}`;
}

/** By which a server says that it lives. */
function isLease(type: string, name: string): boolean {
  return type.endsWith(" leases") && name.startsWith("apiserver-");
}

/** With the fields in the order of their names, and without times. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value)
    .filter(([name, field]) => name !== "lastTransitionTime" && name !== "uid" && field !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, ordered(field)]));
}

/** Without addresses, ports and days, which are chosen at the start. */
function withoutPlaces(text: string): string {
  return text
    .replaceAll(/"\d+\.\d+\.\d+\.\d+\/\d+"/g, '"RANGE"')
    .replaceAll(/"\d+\.\d+\.\d+\.\d+"/g, '"ADDRESS"')
    .replaceAll(/"(port|targetPort)":\d{4,}/g, '"$1":"PORT"')
    .replaceAll(/"\d{4}-\d\d-\d\d"/g, '"DAY"')
    .replaceAll(/"-----BEGIN CERTIFICATE-----[^"]*"/g, '"CERTIFICATE"');
}
