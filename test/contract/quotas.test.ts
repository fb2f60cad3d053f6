// ResourceQuotas, as every API server charges them, and as a controller gives back what is gone.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type Body, type RawAnswer, type RawClient } from "./api-server/raw-request.ts";

const space = "/api/v1/namespaces/small";
const quotas = `${space}/resourcequotas`;

describeOnEachApiServer(
  "resource quotas",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const pod = (name: string, limits?: Body, spec: Body = {}, query = ""): Promise<RawAnswer> =>
      send("POST", `${space}/pods${query}`, {
        metadata: { name },
        spec: {
          automountServiceAccountToken: false,
          serviceAccountName: "default",
          containers: [{ name: "c", image: "i", ...(limits === undefined ? {} : { resources: { limits } }) }],
          ...spec,
        },
      });
    const make = (plural: string, name: string, content: Body = {}): Promise<RawAnswer> =>
      send("POST", `${space}/${plural}`, { metadata: { name }, ...content });
    const used = (name: string, wanted: Body): Promise<void> =>
      eventually(async () => {
        const { body } = await send("GET", `${quotas}/${name}`);
        expect((body["status"] as Body)["used"]).toEqual(wanted);
      });
    const refusal = async (answer: Promise<RawAnswer>): Promise<unknown> => {
      const { status, body } = await answer;
      return status === 201 ? "taken" : String(body["message"]).replace(/^.*? is forbidden: /, "");
    };

    beforeAll(async () => {
      client = createRawClient(server());
      await send("POST", "/api/v1/namespaces", { metadata: { name: "small" } });
      await eventually(async () =>
        expect((await send("GET", `${space}/serviceaccounts/default`)).status).toBe(200),
      );
    });
    afterAll(() => client.close());

    describe("of a namespace", () => {
      const nothing = {
        "count/deployments.apps": "0",
        "count/secrets": "0",
        "limits.cpu": "0",
        pods: "0",
        services: "0",
        "services.nodeports": "0",
      };

      it("are counted before anything is charged", async () => {
        const hard = {
          "count/deployments.apps": "1",
          "count/secrets": "1",
          "limits.cpu": "1",
          pods: "2",
          services: "1",
          "services.nodeports": "1",
        };
        await send("POST", quotas, { metadata: { name: "all" }, spec: { hard } });
        await used("all", nothing);
        // A real server has to notice the status too.
        await eventually(async () =>
          expect((await pod("seen", undefined, {}, "?dryRun=All")).status).toBe(403),
        );
      });

      it("refuse what is more than they allow, or says too little", async () => {
        const exceeded = (requested: string, before: string, limited: string): string =>
          `exceeded quota: all, requested: ${requested}, used: ${before}, limited: ${limited}`;
        const deployment = (name: string): Promise<RawAnswer> =>
          send("POST", "/apis/apps/v1/namespaces/small/deployments", {
            metadata: { name },
            spec: {
              replicas: 0,
              selector: { matchLabels: { a: "b" } },
              template: {
                metadata: { labels: { a: "b" } },
                spec: { containers: [{ name: "c", image: "i" }] },
              },
            },
          });
        const ports = (count: number): Body[] =>
          Array.from({ length: count }, (_, index) => ({ port: index + 1, name: `p${index}` }));
        const nodePorts = { spec: { type: "NodePort", ports: ports(2) } };
        expect(await refusal(pod("a"))).toBe("failed quota: all: must specify limits.cpu for: c");
        expect(await refusal(pod("a", { cpu: "600m" }))).toBe("taken");
        expect(await refusal(pod("b", { cpu: "600m" }))).toBe(
          exceeded("limits.cpu=600m", "limits.cpu=600m", "limits.cpu=1"),
        );
        expect(await refusal(pod("b", { cpu: "300m" }, {}, "?dryRun=All"))).toBe("taken");
        expect(await refusal(pod("b", { cpu: "400m" }))).toBe("taken");
        expect(await refusal(pod("c", { cpu: "1" }))).toBe(
          exceeded("limits.cpu=1,pods=1", "limits.cpu=1,pods=2", "limits.cpu=1,pods=2"),
        );
        expect(await refusal(make("services", "one", nodePorts))).toBe(
          exceeded("services.nodeports=2", "services.nodeports=0", "services.nodeports=1"),
        );
        expect(await refusal(make("services", "one", { spec: { ports: ports(1) } }))).toBe("taken");
        expect(await refusal(make("services", "two", { spec: { ports: ports(1) } }))).toBe(
          exceeded("services=1", "services=1", "services=1"),
        );
        expect(await refusal(make("secrets", "one"))).toBe("taken");
        expect(await refusal(make("secrets", "two"))).toBe(
          exceeded("count/secrets=1", "count/secrets=1", "count/secrets=1"),
        );
        expect(await refusal(deployment("one"))).toBe("taken");
        expect(await refusal(deployment("two"))).toBe(
          exceeded("count/deployments.apps=1", "count/deployments.apps=1", "count/deployments.apps=1"),
        );
        await used("all", {
          "count/deployments.apps": "1",
          "count/secrets": "1",
          "limits.cpu": "1",
          pods: "2",
          services: "1",
          "services.nodeports": "0",
        });
      });

      it("get back what is gone", async () => {
        await send("DELETE", `${space}/pods/a?gracePeriodSeconds=0`);
        await send("DELETE", `${space}/services/one`);
        await eventually(async () => {
          const { body } = await send("GET", `${quotas}/all`);
          expect((body["status"] as Body)["used"]).toMatchObject({
            "limits.cpu": "400m",
            pods: "1",
            services: "0",
          });
        });
        await send("DELETE", `${quotas}/all`);
      });
    });

    it("charge what an update adds, and give back what it takes away", async () => {
      const hard = { "limits.cpu": "1", "requests.storage": "2Gi", "services.nodeports": "1" };
      const space = "/api/v1/namespaces/growing";
      await send("POST", "/api/v1/namespaces", { metadata: { name: "growing" } });
      await eventually(async () =>
        expect((await send("GET", `${space}/serviceaccounts/default`)).status).toBe(200),
      );
      await send("POST", "/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "growing" },
        provisioner: "example.com/p",
        allowVolumeExpansion: true,
      });
      const post = (plural: string, name: string, spec: Body): Promise<RawAnswer> =>
        send("POST", `${space}/${plural}`, { metadata: { name }, spec });
      const container = (cpu: string): Body => ({ name: "c", image: "i", resources: { limits: { cpu } } });
      const podOf = (name: string, cpu: string): Promise<RawAnswer> =>
        post("pods", name, { automountServiceAccountToken: false, containers: [container(cpu)] });
      const patch = async (place: string, spec: Body, query = ""): Promise<unknown> => {
        const contentType = "application/strategic-merge-patch+json";
        const { status, body } = await send("PATCH", `${space}/${place}${query}`, { spec }, { contentType });
        return status === 200 ? "taken" : `${status} ${String(body["message"])}`;
      };
      const resize = (name: string, cpu: string, query = ""): Promise<unknown> =>
        patch(`pods/${name}/resize`, { containers: [container(cpu)] }, query);
      const storage = (amount: string): Body => ({ resources: { requests: { storage: amount } } });
      const usedNow = async (): Promise<unknown> =>
        ((await send("GET", `${space}/resourcequotas/q`)).body["status"] as Body)["used"];

      await podOf("a", "300m");
      await podOf("b", "600m");
      await post("services", "s", {
        ports: [
          { name: "one", port: 1 },
          { name: "two", port: 2 },
        ],
      });
      await post("services", "l", {
        type: "LoadBalancer",
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 1 }],
      });
      await post("persistentvolumeclaims", "v", {
        storageClassName: "growing",
        accessModes: ["ReadWriteOnce"],
        volumeName: "v",
        ...storage("1Gi"),
      });
      await send(
        "PATCH",
        `${space}/persistentvolumeclaims/v/status`,
        { status: { phase: "Bound", capacity: { storage: "1Gi" } } },
        { contentType: "application/merge-patch+json" },
      );
      await send("POST", `${space}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
      const before = { "limits.cpu": "900m", "requests.storage": "1Gi", "services.nodeports": "0" };
      await eventually(async () => expect(await usedNow()).toEqual(before));
      const full = (what: string, requested: string, used: string, limited: string): string =>
        `403 ${what} is forbidden: exceeded quota: q, requested: ${requested}, used: ${used}, limited: ${limited}`;
      // A real server has to notice the quota first.
      await eventually(async () =>
        expect(await resize("a", "900m")).toBe(
          full('pods "a"', "limits.cpu=600m", "limits.cpu=900m", "limits.cpu=1"),
        ),
      );
      expect(await resize("a", "400m", "?dryRun=All")).toBe("taken");
      expect(await usedNow()).toEqual(before);
      expect(await resize("a", "400m")).toBe("taken");
      expect(await usedNow()).toEqual({ ...before, "limits.cpu": "1" });
      expect(await patch("services/s", { type: "NodePort" })).toBe(
        full('services "s"', "services.nodeports=2", "services.nodeports=0", "services.nodeports=1"),
      );
      expect(await patch("services/l", { type: "NodePort" })).toBe("taken");
      expect(await usedNow()).toEqual({ ...before, "limits.cpu": "1", "services.nodeports": "1" });
      const ports = [{ port: 1, nodePort: null }];
      expect(await patch("services/l", { type: "ClusterIP", ports })).toBe("taken");
      // On a real server the controller gives it back.
      await eventually(async () => expect(await usedNow()).toEqual({ ...before, "limits.cpu": "1" }));
      expect(await patch("persistentvolumeclaims/v", storage("3Gi"))).toBe(
        full(
          'persistentvolumeclaims "v"',
          "requests.storage=2Gi",
          "requests.storage=1Gi",
          "requests.storage=2Gi",
        ),
      );
      expect(await patch("persistentvolumeclaims/v", storage("2Gi"))).toBe("taken");
      // What it does not count is free, and so is another change.
      const { status } = await send(
        "PATCH",
        `${space}/pods/a`,
        { metadata: { labels: { a: "b" } } },
        { contentType: "application/merge-patch+json" },
      );
      expect(status).toBe(200);
      expect(await usedNow()).toEqual({
        "limits.cpu": "1",
        "requests.storage": "2Gi",
        "services.nodeports": "0",
      });
    });

    it("leave resizes and changed claims to the limits of the namespace, too", async () => {
      const space = "/api/v1/namespaces/growing";
      const merge = { contentType: "application/merge-patch+json" };
      const limits = [
        { type: "Container", max: { cpu: "500m" } },
        { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
      ];
      await send("POST", `${space}/limitranges`, { metadata: { name: "l" }, spec: { limits } });
      const changed = async (place: string, patch: Body): Promise<unknown> =>
        (await send("PATCH", `${space}/${place}?dryRun=All`, patch, merge)).body["message"];
      const resources = { limits: { cpu: "600m" }, requests: { cpu: "600m" } };
      const larger = { spec: { containers: [{ name: "c", image: "i", resources }] } };
      await eventually(async () =>
        expect(await changed("pods/b/resize", larger)).toBe(
          'pods "b" is forbidden: maximum cpu usage per Container is 500m, but limit is 600m',
        ),
      );
      expect(await changed("persistentvolumeclaims/v", { metadata: { labels: { a: "b" } } })).toBe(
        'persistentvolumeclaims "v" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
      );
      expect(await changed("pods/b", { metadata: { labels: { a: "b" } } })).toBeUndefined();
    });

    it("limit only what is in their scope", async () => {
      const none = { hard: { pods: "0" } };
      const matchExpressions = [
        { scopeName: "PriorityClass", operator: "In", values: ["system-cluster-critical"] },
      ];
      await make("resourcequotas", "idle", { spec: { ...none, scopes: ["BestEffort"] } });
      await make("resourcequotas", "urgent", { spec: { ...none, scopeSelector: { matchExpressions } } });
      await used("idle", { pods: "0" });
      await used("urgent", { pods: "0" });
      const full = (name: string): string =>
        `exceeded quota: ${name}, requested: pods=1, used: pods=0, limited: pods=0`;
      await eventually(async () => expect(await refusal(pod("idle"))).toBe(full("idle")));
      const urgent = { priorityClassName: "system-cluster-critical" };
      await eventually(async () =>
        expect(await refusal(pod("urgent", { cpu: "1" }, urgent, "?dryRun=All"))).toBe(full("urgent")),
      );
      expect(await refusal(pod("other", { cpu: "1" }))).toBe("taken");
    });
  },
  { real: { controllers: "resourcequota-controller,serviceaccount-controller" } },
);
