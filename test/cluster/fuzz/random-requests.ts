// Random requests to an API server: bodies near to valid ones, patches of all types, paths, selectors, schemas, YAML.
import {
  below,
  garbled,
  mutated,
  pick,
  randomJson,
  randomName,
  randomPointer,
  randomScalar,
  type RandomNumber,
} from "./random-json.ts";

import { randomAdmission } from "./random-admission.ts";
import { randomExpression } from "./random-expression.ts";

/** A request. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** A collection with an object that it takes. */
export interface FuzzedType {
  readonly collection: string;
  readonly sample: Fields;
}

const podSpec = {
  containers: [
    {
      name: "c",
      image: "i",
      env: [{ name: "A", value: "$(B)" }],
      ports: [{ containerPort: 80, name: "web" }],
      resources: { requests: { cpu: "100m" }, limits: { cpu: "1", memory: "1Gi" } },
      readinessProbe: { httpGet: { path: "/", port: "web" } },
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    },
  ],
  volumes: [{ name: "v", emptyDir: {} }],
};
const labels = { app: "a" };
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const namespaced = (root: string, plural: string): string => `${root}/namespaces/default/${plural}`;
const object = (apiVersion: string, kind: string, content: Fields): Fields => ({
  apiVersion,
  kind,
  metadata: { name: "a", labels, annotations: { note: "x" }, finalizers: [] },
  ...content,
});

const openSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const closedSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", minimum: 0, default: 1 },
        constructor: { type: "string" },
        toString: { type: "object", additionalProperties: { type: "string" } },
        tags: {
          type: "array",
          "x-kubernetes-list-type": "set",
          items: { type: "string", pattern: "^[a-z]*$" },
        },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, port: { type: "integer" } },
          },
        },
        open: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "object" } },
      },
      "x-kubernetes-validations": [{ rule: "self.size < 100" }, { rule: "self.size >= oldSelf.size" }],
    },
    status: openSchema,
  },
};

/** A definition of custom resources. */
export function definitionOf(plural: string, schema: unknown): Fields {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.fuzz.example.com` },
    spec: {
      group: "fuzz.example.com",
      scope: "Namespaced",
      names: { plural, kind: plural[0]?.toUpperCase() + plural.slice(1, -1) },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
          },
          additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        },
      ],
    },
  };
}

/** The definitions that the fuzzed types need. */
export const definitions = [definitionOf("opens", openSchema), definitionOf("closeds", closedSchema)];

/** What requests are about. */
export const fuzzedTypes: readonly FuzzedType[] = [
  {
    collection: namespaced("/api/v1", "configmaps"),
    sample: object("v1", "ConfigMap", { data: { a: "1" } }),
  },
  {
    collection: namespaced("/api/v1", "secrets"),
    sample: object("v1", "Secret", { data: { a: "MQ==" }, stringData: { b: "2" } }),
  },
  { collection: namespaced("/api/v1", "pods"), sample: object("v1", "Pod", { spec: podSpec }) },
  {
    collection: namespaced("/api/v1", "services"),
    sample: object("v1", "Service", { spec: { selector: labels, ports: [{ port: 80, targetPort: "web" }] } }),
  },
  {
    collection: namespaced("/api/v1", "persistentvolumeclaims"),
    sample: object("v1", "PersistentVolumeClaim", {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    }),
  },
  {
    collection: namespaced("/apis/apps/v1", "deployments"),
    sample: object("apps/v1", "Deployment", {
      spec: { replicas: 1, selector, template, strategy: { rollingUpdate: { maxSurge: "25%" } } },
    }),
  },
  {
    collection: namespaced("/apis/apps/v1", "statefulsets"),
    sample: object("apps/v1", "StatefulSet", { spec: { replicas: 1, serviceName: "s", selector, template } }),
  },
  {
    collection: namespaced("/apis/batch/v1", "jobs"),
    sample: object("batch/v1", "Job", {
      spec: { completions: 1, template: { ...template, spec: { ...podSpec, restartPolicy: "Never" } } },
    }),
  },
  {
    collection: namespaced("/apis/batch/v1", "cronjobs"),
    sample: object("batch/v1", "CronJob", {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { ...template, spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    }),
  },
  {
    collection: namespaced("/apis/networking.k8s.io/v1", "ingresses"),
    sample: object("networking.k8s.io/v1", "Ingress", {
      spec: {
        rules: [
          {
            host: "h",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    }),
  },
  {
    collection: namespaced("/apis/rbac.authorization.k8s.io/v1", "roles"),
    sample: object("rbac.authorization.k8s.io/v1", "Role", {
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    }),
  },
  {
    collection: namespaced("/apis/coordination.k8s.io/v1", "leases"),
    sample: object("coordination.k8s.io/v1", "Lease", {
      spec: { holderIdentity: "h", leaseDurationSeconds: 10 },
    }),
  },
  {
    collection: namespaced("/apis/policy/v1", "poddisruptionbudgets"),
    sample: object("policy/v1", "PodDisruptionBudget", { spec: { minAvailable: 1, selector } }),
  },
  {
    collection: namespaced("/api/v1", "events"),
    sample: object("v1", "Event", {
      involvedObject: { kind: "Pod", namespace: "default", name: "a" },
      reason: "R",
      message: "m",
      type: "Normal",
    }),
  },
  ...["opens", "closeds"].map((plural) => ({
    collection: namespaced("/apis/fuzz.example.com/v1", plural),
    sample: object("fuzz.example.com/v1", plural === "opens" ? "Open" : "Closed", {
      spec: {
        size: 1,
        constructor: "c",
        toString: { a: "b" },
        tags: ["a"],
        parts: [{ name: "p", port: 1 }],
        open: [{ x: 1 }],
      },
    }),
  })),
];

const objectNames = ["a", "b", "c", "d", "constructor", "valueof", "x".repeat(60)];
const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const options: Readonly<Record<string, readonly string[]>> = {
  dryRun: ["All", "x"],
  fieldManager: ["m", "", "é"],
  fieldValidation: ["Strict", "Warn", "Ignore", "x"],
  force: ["true", "x"],
  limit: ["1", "0", "-1", "x", "99999999999999999999"],
  continue: ["x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0"],
  resourceVersion: ["0", "1", "5", "-1", "x", "18446744073709551616"],
  resourceVersionMatch: ["Exact", "NotOlderThan", "x"],
  timeoutSeconds: ["0", "1", "x", "-5"],
  propagationPolicy: ["Background", "Foreground", "Orphan", "x"],
  gracePeriodSeconds: ["0", "1", "-1", "x"],
  pretty: ["true", ""],
};

/** One random request. */
export function randomRequest(random: RandomNumber): FuzzedRequest {
  const roll = random();
  if (roll < 0.06) return randomPlace(random);
  if (roll < 0.1) return randomDefinition(random);
  if (roll < 0.16) return randomConfiguration(random);
  const type = pick(random, fuzzedTypes);
  const name = pick(random, objectNames);
  if (roll < 0.4) return write(random, type, "POST", type.collection, name);
  const sub =
    random() < 0.15
      ? `/${pick(random, ["status", "scale", "log", "binding", "nope", "ephemeralcontainers"])}`
      : "";
  const at = `${type.collection}/${encodeURIComponent(name)}${sub}`;
  if (roll < 0.55) return write(random, type, "PUT", at, name);
  if (roll < 0.82) return patch(random, type, at, name);
  if (roll < 0.9) return read(random, random() < 0.5 ? type.collection : at);
  const body =
    random() < 0.2
      ? text(random, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Orphan" })
      : undefined;
  return {
    method: "DELETE",
    path: at + query(random),
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body,
  };
}

function write(
  random: RandomNumber,
  { sample }: FuzzedType,
  method: string,
  path: string,
  name: string,
): FuzzedRequest {
  const value = mutated(random, named(sample, name), below(random, 4));
  const isYaml = random() < 0.25;
  const body = isYaml ? yaml(random, value) : text(random, value);
  return {
    method,
    path: path + query(random),
    headers: { "content-type": isYaml ? "application/yaml" : "application/json" },
    body,
  };
}

function patch(random: RandomNumber, { sample }: FuzzedType, path: string, name: string): FuzzedRequest {
  const type = pick(random, Object.keys(patchTypes) as (keyof typeof patchTypes)[]);
  const headers = { "content-type": patchTypes[type] };
  const changed = mutated(random, named(sample, name), 1 + below(random, 3));
  const body = (): string => {
    if (type === "json")
      return text(
        random,
        Array.from({ length: 1 + below(random, 20) }, () => operation(random, changed)),
      );
    if (type === "apply") return yaml(random, changed);
    const directives = {
      $patch: pick(random, ["replace", "delete", "merge", "x"]),
      $retainKeys: ["containers"],
      "$setElementOrder/containers": [{ name: "c" }],
      "$deleteFromPrimitiveList/finalizers": ["a"],
    };
    const [directive, value] = pick(random, Object.entries(directives));
    return text(random, random() < 0.2 ? { ...(changed as Fields), spec: { [directive]: value } } : changed);
  };
  const manager =
    type === "apply"
      ? `fieldManager=${pick(random, ["m", "n"])}&force=${pick(random, ["true", "false"])}`
      : "";
  return { method: "PATCH", path: path + query(random, manager), headers, body: body() };
}

function operation(random: RandomNumber, value: unknown): Fields {
  return {
    op: pick<unknown>(random, ["add", "remove", "replace", "move", "copy", "test", "copy", "x", 1]),
    path: randomPointer(random, value),
    from: randomPointer(random, value),
    value: randomJson(random),
  };
}

function read(random: RandomNumber, path: string): FuzzedRequest {
  const accept = pick(random, [
    "application/json",
    "application/yaml",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "*/*;q=x,constructor",
  ]);
  const selectors = [
    `labelSelector=${encodeURIComponent(randomSelector(random))}`,
    `fieldSelector=${encodeURIComponent(pick(random, ["metadata.name=a", "metadata.name!=a,x=y", "a", "=,", "spec.constructor=x"]))}`,
  ];
  return {
    method: "GET",
    path: path + query(random, random() < 0.4 ? pick(random, selectors) : ""),
    headers: { accept },
    body: undefined,
  };
}

function randomSelector(random: RandomNumber): string {
  const words = [
    "app",
    "a",
    "constructor",
    "toString",
    "in",
    "notin",
    "(",
    ")",
    ",",
    "=",
    "==",
    "!=",
    "!",
    "<",
    ">",
    "1",
    "-x",
    "é",
  ];
  return Array.from({ length: below(random, 8) }, () => pick(random, words)).join(random() < 0.5 ? "" : " ");
}

/** Any place at all. */
function randomPlace(random: RandomNumber): FuzzedRequest {
  const parts = [
    "api",
    "apis",
    "v1",
    "apps",
    "namespaces",
    "default",
    "pods",
    "watch",
    "a",
    "",
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "%00",
    "%zz",
    "status",
    "openapi",
    "v3",
    "healthz",
    "version",
    "__proto__",
    "constructor",
    "fuzz.example.com",
  ];
  const path = Array.from({ length: below(random, 8) }, () => `/${pick(random, parts)}`).join("");
  const method = pick(random, ["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
  return {
    method,
    path: `/${path.slice(1)}${query(random)}`,
    headers: { "content-type": pick(random, ["application/json", "constructor", "x/y;a"]) },
    body: method === "GET" || method === "HEAD" ? undefined : text(random, randomJson(random)),
  };
}

/** Definitions with schemas that are near to right, which stay unused. */
function randomDefinition(random: RandomNumber): FuzzedRequest {
  const plural = pick(random, ["xs", "ys", "zs"]);
  const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const schema = random() < 0.5 ? withRule(random) : closedSchema;
  const definition = mutated(
    random,
    definitionOf(plural, mutated(random, schema, below(random, 5))),
    below(random, 2),
  );
  if (random() < 0.3)
    return {
      method: "DELETE",
      path: `${collection}/${plural}.fuzz.example.com`,
      headers: {},
      body: undefined,
    };
  return {
    method: "POST",
    path: collection + query(random),
    headers: { "content-type": "application/json" },
    body: text(random, definition),
  };
}

/** The closed schema with a random rule at one of its parts. */
function withRule(random: RandomNumber): unknown {
  const { spec } = closedSchema.properties;
  const rules = [{ rule: randomExpression(random), messageExpression: randomExpression(random, 2) }];
  const part = pick(random, ["size", "tags", "parts", "toString"] as const);
  const properties =
    random() < 0.5
      ? { ...spec.properties, [part]: { ...spec.properties[part], "x-kubernetes-validations": rules } }
      : spec.properties;
  const changed = properties === spec.properties ? { "x-kubernetes-validations": rules } : {};
  return {
    ...closedSchema,
    properties: { ...closedSchema.properties, spec: { ...spec, properties, ...changed } },
  };
}

/** A configuration of admission is made, changed or deleted; few stay for long, since what they refuse is not tried any more. */
function randomConfiguration(random: RandomNumber): FuzzedRequest {
  const { collection, body } = randomAdmission(random);
  const at = `${collection}/${pick(random, ["a", "b"])}`;
  const headers = { "content-type": "application/json" };
  const roll = random();
  if (roll < 0.4) return { method: "DELETE", path: at, headers: {}, body: undefined };
  if (roll < 0.6)
    return { method: "POST", path: `${collection}?dryRun=All`, headers, body: JSON.stringify(body) };
  if (roll < 0.9)
    return { method: "POST", path: collection + query(random), headers, body: text(random, body) };
  const merge = { "content-type": patchTypes.merge };
  return { method: "PATCH", path: at + query(random), headers: merge, body: text(random, body) };
}

function named(sample: Fields, name: string): Fields {
  return { ...sample, metadata: { ...(sample["metadata"] as Fields), name } };
}

function text(random: RandomNumber, value: unknown): string {
  const json = JSON.stringify(value);
  return random() < 0.06 ? garbled(random, json) : json;
}

/** JSON is YAML; a few aliases and tags make it more so. */
function yaml(random: RandomNumber, value: unknown): string {
  const json = JSON.stringify(value);
  const extra = pick(random, ["", "", "---\n", "# c\n", "%YAML 1.1\n---\n", "&a "]);
  const typed =
    random() < 0.2
      ? json.replace('"spec":', `"spec": ${pick(random, ["&s ", "*s", "!!binary ", "!x ", "<<: "])}`)
      : json;
  return extra + (random() < 0.1 ? garbled(random, typed) : typed);
}

function query(random: RandomNumber, first = ""): string {
  const pairs = first === "" ? [] : [first];
  while (random() < 0.2) {
    const name = pick(random, Object.keys(options));
    const value = random() < 0.1 ? String(randomScalar(random)) : pick(random, options[name] ?? [""]);
    pairs.push(
      `${random() < 0.05 ? encodeURIComponent(randomName(random)) : name}=${encodeURIComponent(value.toWellFormed())}`,
    );
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
