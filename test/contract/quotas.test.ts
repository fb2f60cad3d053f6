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
