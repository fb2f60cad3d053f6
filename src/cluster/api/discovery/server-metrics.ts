// What the API server says of itself at /metrics, in Prometheus' text format and under Kubernetes' names: how many objects there are of each
// type and how large they are, who watches, and what the process uses.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";

/** The content type of the text. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** Sizes of stored objects, which are never changed, in bytes of their JSON. */
const sizes = new WeakMap<ApiObject, number>();

/** One family of figures. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** The text. The first call measures every object, later ones only those that have changed since. */
export function serverMetrics(core: ApiCore): string {
  return [...storageFamilies(core), watchFamily(core), ...processFamilies()].map(format).join("");
}

function storageFamilies({ store, registry }: ApiCore): readonly Family[] {
  const types = new Map<string, ServedType>();
  for (const type of registry.all()) {
    if (type.review !== true && !types.has(type.storageKey)) types.set(type.storageKey, type);
  }
  const each = (valueOf: (storageKey: string) => number): Family["samples"] =>
    [...types.values()].map(({ group, plural, storageKey }) => [
      { group, resource: plural },
      valueOf(storageKey),
    ]);
  return [
    {
      name: "apiserver_resource_objects",
      help: "Number of stored objects by type.",
      type: "gauge",
      samples: each((storageKey) => store.count(storageKey)),
    },
    {
      name: "apiserver_resource_size_estimate_bytes",
      help: "Size of the JSON of all stored objects by type.",
      type: "gauge",
      samples: each((storageKey) => store.list(storageKey).reduce((sum, object) => sum + sizeOf(object), 0)),
    },
  ];
}

function sizeOf(object: ApiObject): number {
  let size = sizes.get(object);
  if (size === undefined) sizes.set(object, (size = Buffer.byteLength(JSON.stringify(object))));
  return size;
}

function watchFamily({ watches }: ApiCore): Family {
  const counts = new Map<string, number>();
  for (const { type, scope } of watches) {
    const { group, version, plural: resource } = type;
    const labels = {
      component: "apiserver",
      group,
      resource,
      scope,
      subresource: "",
      verb: "WATCH",
      version,
    };
    const key = JSON.stringify(labels);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return {
    name: "apiserver_longrunning_requests",
    help: "Open watches by type and scope, those of the built-in controllers included.",
    type: "gauge",
    samples: [...counts].map(([key, count]) => [JSON.parse(key) as Record<string, string>, count]),
  };
}

function processFamilies(): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const one = (value: number): Family["samples"] => [[{}, value]];
  return [
    {
      name: "process_cpu_seconds_total",
      help: "CPU time of the whole process in seconds.",
      type: "counter",
      samples: one((user + system) / 1e6),
    },
    {
      name: "process_resident_memory_bytes",
      help: "Resident memory of the whole process in bytes.",
      type: "gauge",
      samples: one(rss),
    },
    {
      name: "nodejs_heap_size_used_bytes",
      help: "Heap in use in the whole process in bytes, garbage included.",
      type: "gauge",
      samples: one(heapUsed),
    },
  ];
}

function format({ name, help, type, samples }: Family): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
