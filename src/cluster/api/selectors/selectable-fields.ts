// By which fields of its objects a type lets be selected, besides name and namespace, and what it says of others.
import { valueAt } from "../../../schema/json-path.ts";
import { fieldsOf, type ApiObject } from "../api-object.ts";

/** What a type offers. One that offers nothing of its own has none of these. */
export interface SelectableFields {
  /** Reads each field of an object; nothing counts as an empty text. */
  readonly fields: ReadonlyMap<string, (object: ApiObject) => unknown>;
  /** What is said of a field that is not offered. */
  unknown(field: string): string;
}

type Readers = Readonly<Record<string, (object: ApiObject) => unknown>>;

/** Fields that are read at their own paths, and others that are read otherwise. */
export function selectable(
  paths: readonly string[],
  others: Readers = {},
  unknown: SelectableFields["unknown"] = (field) => `field label not supported: ${field}`,
): SelectableFields {
  const atPaths = paths.map((path) => [path, (object: ApiObject) => valueAt(object, `.${path}`)] as const);
  return { fields: new Map([...atPaths, ...Object.entries(others)]), unknown };
}

/** Of pods. Clients of long ago ask for `spec.host`; of several addresses only the first is looked at. */
export const podFields = selectable(
  [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  {
    "spec.host": ({ spec }) => fieldsOf(spec)["nodeName"],
    "spec.hostNetwork": ({ spec }) => fieldsOf(spec)["hostNetwork"] ?? false,
    "status.podIPs": () => undefined,
  },
);

/** Of nodes. */
export const nodeFields = selectable([], {
  "spec.unschedulable": ({ spec }) => fieldsOf(spec)["unschedulable"] ?? false,
});

/** Of Jobs, whose field is called otherwise in a selector. */
export const jobFields = selectable(
  [],
  { "status.successful": ({ status }) => fieldsOf(status)["succeeded"] ?? 0 },
  (field) => `field label ${JSON.stringify(field)} not supported for Job`,
);

const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Of Events of v1. */
export const eventFields = selectable(
  [...involved.map((name) => `involvedObject.${name}`), "reason", "type", "reportingComponent"],
  { source: ({ source, reportingComponent }) => fieldsOf(source)["component"] || reportingComponent },
);

/** Of Events of events.k8s.io. */
export const groupedEventFields = selectable([
  ...involved.map((name) => `regarding.${name}`),
  "reason",
  "type",
  "reportingController",
]);

/** Of ResourceSlices. */
export const deviceSliceFields = selectable(
  ["spec.nodeName", "spec.driver"],
  {},
  (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
);
