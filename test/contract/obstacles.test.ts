// What server-side apply alone can never repair, on both API servers: it only adds, and what is there already may exclude what is
// declared. A key of a list that somebody has edited, another member of a union, the default of another choice.
import { beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { layered } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { Deployment, StatefulSet } from "../../src/kinds/builtin/apps.ts";
import { Service } from "../../src/kinds/builtin/core.ts";
import { Ingress, NetworkPolicy } from "../../src/kinds/builtin/networking.ts";
import { PodDisruptionBudget } from "../../src/kinds/builtin/policy.ts";
import type { KubeObject, Manifest } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { isContentRefused } from "../../src/reconcile/outcome/failure-meaning.ts";
import { fromManifest } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Boxed, boxOperator, serveBoxes } from "./boxed.ts";

const namespace = "obstacles-contract";
const labels = { app: "a" };

type Fields = Record<string, unknown>;

const manifestOf = (type: ResourceType, name: string, spec: Fields): Manifest => {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  return { apiVersion, kind: type.kind, metadata: { namespace, name }, spec } as Manifest;
};
const service = (...ports: readonly Fields[]): Fields => ({ selector: labels, ports });
const workload = (container: Fields, pod: Fields = {}, spec: Fields = {}): Fields => ({
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: { containers: [{ name: "web", image: "x", ...container }], ...pod },
  },
  ...spec,
});
const container = (fields: Fields): Fields => ({
  template: { spec: { containers: [{ name: "web", image: "x", ...fields }] } },
});
const mounted = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
const rule = (peer: Fields, port: Fields): Fields => ({
  from: [{ podSelector: { matchLabels: labels }, ...peer }],
  ports: [{ port: 80, ...port }],
});
const fromField = { fieldRef: { fieldPath: "metadata.name" } };

/** What is declared, what somebody makes of it, and what is found where afterwards. */
const edits: readonly {
  readonly what: string;
  readonly type: ResourceType;
  readonly declared: Fields;
  readonly edit: Fields;
  readonly repaired: (spec: Fields) => unknown;
  readonly right: unknown;
}[] = [
  {
    what: "the port of a Service with a name",
    type: Service,
    declared: service({ name: "http", port: 80 }),
    edit: { ports: [{ name: "http", port: 8080 }] },
    repaired: ({ ports }) => ports,
    right: [{ name: "http", port: 80, protocol: "TCP", targetPort: 80 }],
  },
  {
    what: "the port of a Service without a name",
    type: Service,
    declared: service({ port: 80 }),
    edit: { ports: [{ port: 8080 }] },
    repaired: ({ ports }) => ports,
    right: [{ port: 80, protocol: "TCP", targetPort: 80 }],
  },
  {
    what: "one port of two, and somebody adds a third",
    type: Service,
    declared: service({ name: "http", port: 80 }, { name: "dns", port: 53 }),
    edit: {
      ports: [
        { name: "http", port: 8080 },
        { name: "dns", port: 53 },
        { name: "theirs", port: 99 },
      ],
    },
    repaired: ({ ports }) =>
      (ports as Fields[]).map(({ name, port }) => `${String(name)} ${String(port)}`).sort(),
    right: ["dns 53", "http 80", "theirs 99"],
  },
  {
    what: "the type of a Service, whose ports on the nodes go with it",
    type: Service,
    declared: { ...service({ port: 80 }), type: "NodePort" },
    edit: { type: "ClusterIP" },
    repaired: ({ type }) => type,
    right: "NodePort",
  },
  {
    what: "the port of a container",
    type: Deployment,
    declared: workload({ ports: [{ name: "http", containerPort: 80 }] }),
    edit: container({ ports: [{ name: "http", containerPort: 8080 }] }),
    repaired: (spec) => webOf(spec)["ports"],
    right: [{ name: "http", containerPort: 80, protocol: "TCP" }],
  },
  {
    what: "the value of a variable, for a reference",
    type: Deployment,
    declared: workload({ env: [{ name: "A", value: "1" }] }),
    edit: container({ env: [{ name: "A", valueFrom: fromField }] }),
    repaired: (spec) => webOf(spec)["env"],
    right: [{ name: "A", value: "1" }],
  },
  {
    what: "the reference of a variable, for a value",
    type: Deployment,
    declared: workload({ env: [{ name: "A", valueFrom: fromField }] }),
    edit: container({ env: [{ name: "A", value: "1" }] }),
    repaired: (spec) => webOf(spec)["env"],
    right: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
  },
  {
    what: "the reference of a variable, for another kind of reference",
    type: Deployment,
    declared: workload({ env: [{ name: "A", valueFrom: fromField }] }),
    edit: container({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "x", key: "y" } } }] }),
    repaired: (spec) => webOf(spec)["env"],
    right: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
  },
  {
    what: "the kind of a volume",
    type: Deployment,
    declared: workload(mounted, { volumes: [{ name: "v", emptyDir: {} }] }),
    edit: { template: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" } }] } } },
    repaired: (spec) => podOf(spec)["volumes"],
    right: [{ name: "v", emptyDir: {} }],
  },
  {
    what: "the kind of a volume, to the default",
    type: Deployment,
    declared: workload(mounted, { volumes: [{ name: "v", configMap: { name: "c" } }] }),
    edit: { template: { spec: { volumes: [{ name: "v", emptyDir: {} }] } } },
    repaired: (spec) => podOf(spec)["volumes"],
    right: [{ name: "v", configMap: { name: "c", defaultMode: 420 } }],
  },
  {
    what: "the handler of a probe, and somebody sets another field of it",
    type: Deployment,
    declared: workload({ livenessProbe: { httpGet: { path: "/", port: 80 } } }),
    edit: container({ livenessProbe: { tcpSocket: { port: 80 }, failureThreshold: 7 } }),
    repaired: (spec) =>
      Object.keys(webOf(spec)["livenessProbe"] as Fields)
        .filter((name) => !/Seconds|success/.test(name))
        .sort(),
    right: ["failureThreshold", "httpGet"],
  },
  {
    what: "what a container does before it stops",
    type: Deployment,
    declared: workload({ lifecycle: { preStop: { exec: { command: ["a"] } } } }),
    edit: container({ lifecycle: { preStop: { sleep: { seconds: 3 } } } }),
    repaired: (spec) => webOf(spec)["lifecycle"],
    right: { preStop: { exec: { command: ["a"] } } },
  },
  {
    what: "a key of the selector of a Service",
    type: Service,
    declared: service({ port: 80 }),
    edit: { selector: { ...labels, tier: "none" } },
    repaired: ({ selector }) => selector,
    right: labels,
  },
  {
    what: "nothing of the nodes that pods may run on, but added a label",
    type: Deployment,
    declared: workload({}, { nodeSelector: { disk: "ssd" } }),
    edit: { template: { spec: { nodeSelector: { disk: "ssd", gpu: "yes" } } } },
    repaired: (spec) => podOf(spec)["nodeSelector"],
    right: { disk: "ssd" },
  },
  {
    what: "nothing of a toleration, but added an effect",
    type: Deployment,
    declared: workload({}, { tolerations: [{ key: "a", operator: "Exists" }] }),
    edit: { template: { spec: { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }] } } },
    repaired: (spec) => podOf(spec)["tolerations"],
    right: [{ key: "a", operator: "Exists" }],
  },
  {
    what: "nothing of a reference to a Secret, but made it optional",
    type: Deployment,
    declared: workload({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }),
    edit: container({
      env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } }],
    }),
    repaired: (spec) => webOf(spec)["env"],
    right: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
  },
  {
    what: "nothing of whom a NetworkPolicy lets in, but added every namespace and more ports",
    type: NetworkPolicy,
    declared: { podSelector: {}, ingress: [rule({}, {})] },
    edit: { ingress: [rule({ namespaceSelector: {} }, { endPort: 9000 })] },
    repaired: ({ ingress }) => ingress,
    right: [{ from: [{ podSelector: { matchLabels: labels } }], ports: [{ port: 80, protocol: "TCP" }] }],
  },
  {
    what: "nothing of what a NetworkPolicy is for, but narrowed it",
    type: NetworkPolicy,
    declared: { podSelector: {}, policyTypes: ["Ingress"] },
    edit: { podSelector: { matchLabels: labels } },
    repaired: ({ podSelector }) => podSelector,
    right: {},
  },
];

/** What is declared, and what somebody makes of it, which a real API server alone takes for a contradiction. */
const contradictions: readonly Omit<(typeof edits)[number], "repaired" | "right">[] = [
  {
    what: "the number of pods that must run, for the number that may be missing",
    type: PodDisruptionBudget,
    declared: { selector: { matchLabels: labels }, minAvailable: 1 },
    edit: { minAvailable: null, maxUnavailable: 1 },
  },
  {
    what: "where an Ingress leads to",
    type: Ingress,
    declared: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
    edit: {
      defaultBackend: { service: null, resource: { kind: "B", name: "x", apiGroup: "a.example.com" } },
    },
  },
  {
    what: "the number of a port, for its name",
    type: Ingress,
    declared: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
    edit: { defaultBackend: { service: { port: { number: null, name: "http" } } } },
  },
  {
    what: "a request, for less and a limit below what is declared",
    type: Deployment,
    declared: workload({ resources: { requests: { cpu: "2" } } }),
    edit: container({ resources: { requests: { cpu: "1" }, limits: { cpu: "1" } } }),
  },
  {
    what: "the same, where another limit is declared",
    type: Deployment,
    declared: workload({ resources: { requests: { cpu: "2" }, limits: { memory: "1Gi" } } }),
    edit: container({ resources: { requests: { cpu: "1" }, limits: { cpu: "1", memory: "1Gi" } } }),
  },
  {
    what: "what a container may do",
    type: Deployment,
    declared: workload({ securityContext: { allowPrivilegeEscalation: false } }),
    edit: container({ securityContext: { privileged: true, allowPrivilegeEscalation: true } }),
  },
];

/** What is declared, what is declared then, and what is found where afterwards. */
const changes: readonly {
  readonly what: string;
  readonly type: ResourceType;
  readonly first: Fields;
  readonly second: Fields;
  readonly repaired: (spec: Fields) => unknown;
  readonly right: unknown;
}[] = [
  {
    what: "the strategy of a Deployment",
    type: Deployment,
    first: workload({}),
    second: workload({}, {}, { strategy: { type: "Recreate" } }),
    repaired: ({ strategy }) => strategy,
    right: { type: "Recreate" },
  },
  {
    what: "the strategy of a StatefulSet",
    type: StatefulSet,
    first: workload({}, {}, { serviceName: "s" }),
    second: workload({}, {}, { serviceName: "s", updateStrategy: { type: "OnDelete" } }),
    repaired: ({ updateStrategy }) => updateStrategy,
    right: { type: "OnDelete" },
  },
  {
    what: "a volume without a source",
    type: Deployment,
    first: workload(mounted, { volumes: [{ name: "v" }] }),
    second: workload(mounted, { volumes: [{ name: "v", secret: { secretName: "s" } }] }),
    repaired: (spec) => podOf(spec)["volumes"],
    right: [{ name: "v", secret: { secretName: "s", defaultMode: 420 } }],
  },
];

/** What somebody makes of a Service with the port 80, which has that port on the nodes. */
const nodePortEdits: readonly (readonly [string, (nodePort: number) => readonly Fields[]])[] = [
  ["its port", (nodePort) => [{ name: "http", port: 8080, nodePort }]],
  ["its port and the name of that", (nodePort) => [{ name: "web", port: 8080, nodePort }]],
  ["its only port, which has no name", (nodePort) => [{ port: 8080, nodePort }]],
  [
    "its port on the nodes, and given that to another port",
    (nodePort) => [
      { name: "http", port: 80, nodePort: nodePort + 1 },
      { name: "web", port: 8080, nodePort },
    ],
  ],
];

const podOf = ({ template }: Fields): Fields => (template as { spec: Fields }).spec;
const webOf = (spec: Fields): Fields => (podOf(spec)["containers"] as Fields[])[0] ?? {};

/** A client whose applies are refused, whatever is sent. */
const refusing = (client: KubeClient): KubeClient =>
  layered(client, {
    place: "life",
    request: (call, send) => {
      if (call.verb !== "apply") return send(call);
      const facts = { status: 422, reason: "Invalid", details: {}, retryAfter: undefined, request: "apply" };
      return Promise.reject(new ApiError("no", facts));
    },
  });

describeOnEachApiServer(
  "what stands in the way",
  (server) => {
    let client: KubeClient;
    let count = 0;

    beforeAll(async () => {
      client = server().client;
      await serveBoxes(client, namespace);
    });

    async function boxWith(type: ResourceType, spec: Fields, write: "apply" | "update" | "patch") {
      const name = `${write}-${(count += 1)}`;
      const box = await new Boxed(client, { namespace, name }).start();
      const declare = (next: Fields): void => {
        box.children = [fromManifest(manifestOf(type, name, next), { write })];
      };
      declare(spec);
      expect(await box.written()).toHaveLength(1);
      const live = async (): Promise<KubeObject & { readonly spec: Fields }> =>
        (await client.get(type, { namespace, name })) as KubeObject & { readonly spec: Fields };
      return { box, declare, live, key: { namespace, name } };
    }

    describe.each(["apply", "update", "patch"] as const)("of objects written by %s", (write) => {
      it.each(edits.map((each) => [each.what, each] as const))(
        "goes when somebody has replaced %s, and nobody is blamed",
        async (_what, { type, declared, edit, repaired, right }) => {
          const { box, live, key } = await boxWith(type, declared, write);
          for (let time = 0; time < 2; time += 1) {
            const body = { spec: edit };
            await client.patch(type, key, { type: "merge", body }, { fieldManager: "kubectl-edit" });
            expect(await box.written()).toHaveLength(1);
            expect(repaired((await live()).spec)).toEqual(right);
            expect(await box.written()).toEqual([]);
          }
          const { managedFields = [] } = (await live()).metadata;
          const ours = managedFields.filter(({ manager }) => manager === boxOperator);
          expect(new Set(ours.map(({ operation }) => operation))).toEqual(
            new Set([write === "apply" ? "Apply" : "Update"]),
          );
        },
      );

      it.each(nodePortEdits)(
        "goes when a Service has a port on the nodes, and somebody has replaced %s",
        async (_what, edited) => {
          const nodePort = 31_000 + 2 * count;
          const name = "http";
          const declared = { ...service({ name, port: 80, nodePort }), type: "NodePort" };
          const { box, live, key } = await boxWith(Service, declared, write);
          const edit = { spec: { ports: edited(nodePort) } };
          await client.patch(Service, key, { type: "merge", body: edit }, { fieldManager: "kubectl-edit" });
          expect(await box.written()).toHaveLength(1);
          const ports = (await live()).spec["ports"] as Fields[];
          expect(ports.find(({ port }) => port === 80)).toMatchObject({ name, nodePort });
          expect(ports.filter((port) => port["nodePort"] === nodePort)).toHaveLength(1);
          expect(await box.written()).toEqual([]);
        },
      );

      it.each(contradictions.map((each) => [each.what, each] as const))(
        "goes when somebody has replaced %s, and what was there before is there again",
        async (_what, { type, declared, edit }) => {
          const { box, live, key } = await boxWith(type, declared, write);
          const { spec } = await live();
          await client.patch(
            type,
            key,
            { type: "merge", body: { spec: edit } },
            { fieldManager: "kubectl-edit" },
          );
          expect(await box.written()).toHaveLength(1);
          const now = (await live()).spec;
          if (server().kind === "real") expect(now).toEqual(spec);
          else expect(now).toMatchObject(spec);
          expect(await box.written()).toEqual([]);
        },
      );

      it.each(changes.map((each) => [each.what, each] as const))(
        "goes when %s is declared of which there was a default",
        async (_what, { type, first, second, repaired, right }) => {
          const { box, declare, live } = await boxWith(type, first, write);
          declare(second);
          expect(await box.written()).toHaveLength(1);
          expect(repaired((await live()).spec)).toEqual(right);
          expect(await box.written()).toEqual([]);
        },
      );
    });

    it("stays where what is declared is refused for itself, and the refusal is what is reported", async () => {
      const { box, declare, live } = await boxWith(Deployment, workload({}), "apply");
      const before = await live();
      declare(workload({}, {}, { strategy: { type: "Recreate" }, replicas: -1 }));
      await expect(box.run()).rejects.toThrow(/spec\.replicas/);
      expect((await live()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    it("stays where it is another object, and the refusal is one of what is declared", async () => {
      const declared = { ...service({ port: 80, nodePort: 32_000 }), type: "NodePort" };
      await boxWith(Service, declared, "apply");
      const { box, declare } = await boxWith(Service, service({ port: 80 }), "apply");
      declare(declared);
      const refusal: unknown = await box.run().catch((caught: unknown) => caught);
      expect((refusal as Error).message).toMatch(/nodePort.*32000.*already allocated/);
      expect(isContentRefused(refusal)).toBe(true);
    });

    it("is no fight as long as the repair is refused", async () => {
      const { box, key } = await boxWith(Service, service({ name: "http", port: 80 }), "apply");
      const refused = new Boxed(refusing(client), key);
      refused.children = box.children;
      const edit = { spec: { ports: [{ name: "http", port: 8080 }] } };
      await client.patch(Service, key, { type: "merge", body: edit });
      for (let time = 0; time < 8; time += 1) await expect(refused.run()).rejects.toThrow("no");
      expect(refused.memory.fights.of((await box.cr()).metadata.uid)).toEqual([]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
