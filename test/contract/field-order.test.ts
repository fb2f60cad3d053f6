// The order of fields in the JSON of objects, whatever order they are sent in: that of the real server's structs, and of the keys where
// there are none.
import { beforeAll, expect, it } from "vitest";
import { isAlreadyExists } from "../../src/client/api-error.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

type Json = null | boolean | number | string | readonly Json[] | Fields;
interface Fields {
  readonly [key: string]: Json;
}

const container = {
  name: "web",
  image: "web",
  command: ["run"],
  args: ["fast"],
  workingDir: "/",
  ports: [{ name: "http", containerPort: 80, protocol: "TCP" }],
  envFrom: [{ prefix: "A", configMapRef: { name: "settings", optional: true } }],
  env: [{ name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } }],
  resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
  resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }],
  volumeMounts: [
    { name: "data", readOnly: true, recursiveReadOnly: "Disabled", mountPath: "/data", subPathExpr: "a" },
  ],
  livenessProbe: {
    httpGet: { path: "/", port: 80, scheme: "HTTP" },
    initialDelaySeconds: 1,
    timeoutSeconds: 1,
    periodSeconds: 5,
    successThreshold: 1,
    failureThreshold: 3,
  },
  startupProbe: { exec: { command: ["true"] }, timeoutSeconds: 1 },
  lifecycle: { preStop: { exec: { command: ["true"] } } },
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
  securityContext: { privileged: false, runAsUser: 1, runAsGroup: 1, runAsNonRoot: true },
  stdin: true,
};
const podSpec = {
  volumes: [
    { name: "data", projected: { sources: [{ configMap: { name: "settings" } }], defaultMode: 420 } },
  ],
  initContainers: [{ name: "first", image: "web", imagePullPolicy: "Always" }],
  containers: [container],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  nodeSelector: { a: "1", b: "2" },
  serviceAccountName: "default",
  serviceAccount: "default",
  automountServiceAccountToken: false,
  shareProcessNamespace: true,
  securityContext: { runAsUser: 1, runAsGroup: 1, runAsNonRoot: true, supplementalGroups: [1], fsGroup: 1 },
  schedulerName: "default-scheduler",
  tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 3 }],
  hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { a: "1" } },
    },
  ],
};
const metadata = {
  name: "ordered",
  namespace: "default",
  labels: { a: "1", b: "2" },
  annotations: { "a.example.com/a": "1", "b.example.com/b": "2" },
};
const template = { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "web", image: "web" }] } };

/** Objects with their fields as the real server writes them. */
const written: readonly (readonly [collection: string, object: Fields])[] = [
  [
    "/api/v1/namespaces/default/configmaps",
    {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata,
      immutable: true,
      data: { B: "1", a: "2" },
      binaryData: { c: "YQ==" },
    },
  ],
  [
    "/api/v1/namespaces/default/secrets",
    {
      kind: "Secret",
      apiVersion: "v1",
      metadata,
      immutable: true,
      data: { a: "YQ==", b: "YQ==" },
      type: "Opaque",
    },
  ],
  [
    "/api/v1/namespaces/default/services",
    {
      kind: "Service",
      apiVersion: "v1",
      metadata,
      spec: {
        ports: [{ name: "http", protocol: "TCP", appProtocol: "http", port: 80, targetPort: 8080 }],
        selector: { a: "1", b: "2" },
        type: "ClusterIP",
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        internalTrafficPolicy: "Cluster",
      },
    },
  ],
  ["/api/v1/namespaces/default/pods", { kind: "Pod", apiVersion: "v1", metadata, spec: podSpec }],
  [
    "/apis/apps/v1/namespaces/default/deployments",
    {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata,
      spec: {
        replicas: 0,
        selector: {
          matchLabels: { a: "1" },
          matchExpressions: [{ key: "a", operator: "In", values: ["1"] }],
        },
        template,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        minReadySeconds: 1,
        revisionHistoryLimit: 1,
        paused: true,
        progressDeadlineSeconds: 10,
      },
    },
  ],
  [
    "/apis/apps/v1/namespaces/default/replicasets",
    {
      kind: "ReplicaSet",
      apiVersion: "apps/v1",
      metadata,
      spec: { replicas: 0, minReadySeconds: 1, selector: { matchLabels: { a: "1" } }, template },
    },
  ],
  [
    "/apis/batch/v1/namespaces/default/cronjobs",
    {
      kind: "CronJob",
      apiVersion: "batch/v1",
      metadata,
      spec: {
        schedule: "* * * * *",
        timeZone: "Etc/UTC",
        concurrencyPolicy: "Allow",
        suspend: true,
        jobTemplate: {
          spec: {
            parallelism: 1,
            completions: 1,
            activeDeadlineSeconds: 10,
            backoffLimit: 6,
            template: { spec: { ...template.spec, restartPolicy: "Never" } },
            ttlSecondsAfterFinished: 10,
            completionMode: "Indexed",
          },
        },
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 1,
      },
    },
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
    {
      kind: "Ingress",
      apiVersion: "networking.k8s.io/v1",
      metadata,
      spec: {
        ingressClassName: "nginx",
        defaultBackend: { service: { name: "a", port: { number: 80 } } },
        tls: [{ hosts: ["a.example.com"], secretName: "tls" }],
        rules: [
          {
            host: "a.example.com",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
  ],
  [
    "/api/v1/namespaces/default/persistentvolumeclaims",
    {
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      metadata,
      spec: {
        accessModes: ["ReadWriteOnce"],
        selector: { matchLabels: { a: "1" } },
        resources: { requests: { storage: "1Gi" } },
        volumeName: "a",
        storageClassName: "",
        volumeMode: "Filesystem",
      },
    },
  ],
  [
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
    {
      kind: "EndpointSlice",
      apiVersion: "discovery.k8s.io/v1",
      metadata,
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready: true }, nodeName: "a", zone: "b" }],
      ports: [{ name: "a", protocol: "TCP", port: 1 }],
    },
  ],
  [
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    {
      kind: "HorizontalPodAutoscaler",
      apiVersion: "autoscaling/v2",
      metadata,
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" },
        minReplicas: 1,
        maxReplicas: 2,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } },
          },
        ],
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 1,
            selectPolicy: "Max",
            policies: [{ type: "Pods", value: 1, periodSeconds: 1 }],
          },
        },
      },
    },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
    {
      kind: "Role",
      apiVersion: "rbac.authorization.k8s.io/v1",
      metadata,
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }],
    },
  ],
];

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.order.example.com" },
  spec: {
    group: "order.example.com",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              status: {
                type: "object",
                properties: { zone: { type: "string" }, address: { type: "string", default: "none" } },
              },
            },
          },
        },
      },
    ],
  },
};
const things = "/apis/order.example.com/v1/namespaces/default/things";

describeOnEachApiServer(
  "fields in JSON",
  (server) => {
    const ask = (method: string, path: string, body?: unknown): Promise<Fields> =>
      server().client.request({
        method,
        path,
        ...(body === undefined ? {} : { body }),
      } as never) as Promise<Fields>;

    beforeAll(async () => {
      // Nobody makes the account of pods.
      const account = { metadata: { name: "default" } };
      await ask("POST", "/api/v1/namespaces/default/serviceaccounts", account).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    });

    it.each(written.map(([collection, object]) => ({ kind: object["kind"], collection, object })))(
      "stand as they are declared in a $kind",
      async ({ collection, object }) => {
        const created = await ask("POST", collection, reversed(object));
        expect(linesOf(object, created)).toEqual(linesOf(object, object));
        expect(Object.keys(created["metadata"] as Fields)).toEqual(
          [
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "labels",
            "annotations",
            "finalizers",
            "managedFields",
          ].filter((name) => Object.hasOwn(created["metadata"] as Fields, name)),
        );
        const read = await ask("GET", `${collection}/ordered`);
        expect(linesOf(object, read)).toEqual(linesOf(object, object));
        const metadata = { ...(read["metadata"] as Fields), labels: { b: "2", a: "3" } };
        const replaced = await ask("PUT", `${collection}/ordered`, reversed({ ...read, metadata }));
        expect(linesOf(object, replaced)).toEqual(linesOf(object, object));
      },
    );

    it("stand as they are declared in a status", async () => {
      const status = {
        observedGeneration: 1,
        phase: "Pending",
        conditions: [{ type: "Ready", observedGeneration: 1, status: "False", reason: "A", message: "b" }],
        message: "a",
        reason: "B",
        hostIP: "10.0.0.1",
        hostIPs: [{ ip: "10.0.0.1" }],
      };
      const pod = await ask("GET", "/api/v1/namespaces/default/pods/ordered");
      const replaced = await ask("PUT", "/api/v1/namespaces/default/pods/ordered/status", {
        ...pod,
        status: reversed(status),
      });
      expect(linesOf({ status }, replaced)).toEqual(linesOf({ status }, { status }));
    });

    it("stand in the order of their keys in a custom resource, in its status and in lists", async () => {
      await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
      await waitUntilServed();
      const thing = {
        kind: "Thing",
        apiVersion: "order.example.com/v1",
        metadata: { name: "ordered", labels: { b: "2", a: "1" } },
        spec: { b: [{ d: 1, c: 2 }], B: {}, a: { z: 1, y: { b: 1, a: null } } },
      };
      const created = await ask("POST", things, thing);
      expect(created).toSatisfy(isByKeys);
      const withStatus = await ask("PUT", `${things}/ordered/status`, {
        ...created,
        status: { zone: "a" },
      });
      expect(withStatus["status"]).toEqual({ address: "none", zone: "a" });
      expect(withStatus).toSatisfy(isByKeys);
      expect(await ask("GET", things)).toSatisfy(isByKeys);
    });

    async function waitUntilServed(): Promise<void> {
      await eventually(() => ask("GET", things));
    }
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);

/** Everything with its fields the other way round. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reversed(each)]),
  );
}

/** For each object in an expected one the names of its fields, in the order in which they stand in another. */
function linesOf(expected: Json, found: Json | undefined, path = ""): readonly string[] {
  if (Array.isArray(expected)) {
    return (expected as readonly Json[]).flatMap((each, index) =>
      linesOf(each, (found as readonly Json[])[index], `${path}[${index}]`),
    );
  }
  if (typeof expected !== "object" || expected === null) return [];
  const fields = expected as Fields;
  const names = Object.keys(found as Fields).filter((name) => Object.hasOwn(fields, name));
  return [
    `${path}: ${names.join(" ")}`,
    ...Object.entries(fields).flatMap(([name, each]) =>
      linesOf(each, (found as Fields)[name], `${path}.${name}`),
    ),
  ];
}

function isByKeys(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isByKeys);
  if (typeof value !== "object" || value === null) return true;
  const names = Object.keys(value);
  return names.join(" ") === names.toSorted().join(" ") && Object.values(value).every(isByKeys);
}
