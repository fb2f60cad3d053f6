// What the runtime class of a pod gives to it, on both API servers: overhead, node selector and tolerations; and what contradicts it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const space = "/api/v1/namespaces/classes";
const classes = "/apis/node.k8s.io/v1/runtimeclasses";
const lost = ["not-ready", "unreachable"].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

describeOnEachApiServer(
  "the runtime class of a pod",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const create = (spec: Body, metadata: Body = { name: "pod" }, query = "?dryRun=All") =>
      send("POST", `${space}/pods${query}`, {
        metadata,
        spec: { containers: [{ name: "c", image: "i" }], ...spec },
      });
    const created = async (spec: Body): Promise<Body> => {
      const { status, body } = await create({ automountServiceAccountToken: false, ...spec });
      expect([status, body["message"]]).toEqual([201, undefined]);
      return body["spec"] as Body;
    };

    beforeAll(async () => {
      client = createRawClient(server());
      await send("POST", "/api/v1/namespaces", { metadata: { name: "classes" } });
      await send("POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
      const made: readonly (readonly [string, Body])[] = [
        ["plain", {}],
        ["heavy", { overhead: { podFixed: { cpu: "0.25", memory: "120Mi" } } }],
        [
          "placed",
          {
            scheduling: {
              nodeSelector: { runtime: "kata", disk: "fast" },
              tolerations: [
                { key: "kata", operator: "Exists", effect: "NoSchedule" },
                { key: "own", operator: "Equal", value: "1", effect: "NoSchedule" },
              ],
            },
          },
        ],
      ];
      for (const [name, content] of made) {
        await send("POST", classes, { metadata: { name }, handler: name, ...content });
      }
      // Whoever admits pods hears of what is new a moment later.
      await eventually(async () => expect((await create({ runtimeClassName: "placed" })).status).toBe(201));
    });
    afterAll(() => client.close());

    it("leaves it as it is where the class gives nothing", async () => {
      const { overhead, nodeSelector, tolerations } = await created({ runtimeClassName: "plain" });
      expect([overhead, nodeSelector, tolerations]).toEqual([undefined, undefined, lost]);
    });

    it("gives it an overhead", async () => {
      const overhead = { cpu: "250m", memory: "120Mi" };
      expect((await created({ runtimeClassName: "heavy" }))["overhead"]).toEqual(overhead);
      const same = { cpu: "0.250", memory: "122880Ki" };
      expect((await created({ runtimeClassName: "heavy", overhead: same }))["overhead"]).toEqual(overhead);
      expect((await created({ runtimeClassName: "heavy", overhead: {} }))["overhead"]).toEqual(overhead);
    });

    it("says where it can run, beside what the pod says", async () => {
      const own = [
        { key: "kata", operator: "Equal", value: "1", effect: "NoSchedule" },
        { key: "own", operator: "Exists" },
      ];
      const { nodeSelector, tolerations } = await created({
        runtimeClassName: "placed",
        nodeSelector: { zone: "a", disk: "fast" },
        tolerations: own,
      });
      expect(nodeSelector).toEqual({ zone: "a", disk: "fast", runtime: "kata" });
      // Of two of which one covers the other, that one is kept.
      expect(tolerations).toEqual([
        own[1],
        ...lost,
        { key: "kata", operator: "Exists", effect: "NoSchedule" },
      ]);
    });

    describe("is refused", () => {
      it.each([
        [
          "where there is none of that name",
          { runtimeClassName: "none" },
          'pod rejected: RuntimeClass "none" not found',
        ],
        [
          "where the pod has another overhead",
          { runtimeClassName: "heavy", overhead: { cpu: "250m" } },
          "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ],
        [
          "where the pod has an overhead and the class none",
          { runtimeClassName: "plain", overhead: { cpu: "250m" } },
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ],
        [
          "where the pod has an overhead and no class",
          { overhead: { cpu: "250m" } },
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ],
        [
          "where the pod has an overhead that is empty and no class",
          { overhead: {} },
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ],
        [
          "where the pod selects other nodes",
          { runtimeClassName: "placed", nodeSelector: { disk: "slow" } },
          "conflict: runtimeClass.scheduling.nodeSelector[disk] = fast; pod.spec.nodeSelector[disk] = slow",
        ],
      ])("%s", async (_, spec, detail) => {
        const { body } = await create(spec);
        expect([body["code"], body["reason"], body["message"]]).toEqual([
          403,
          "Forbidden",
          `pods "pod" is forbidden: ${detail}`,
        ]);
      });

      it("by the beginning of its name where it has none yet", async () => {
        const { body } = await create({ runtimeClassName: "none" }, { generateName: "many-" });
        expect([body["message"], (body["details"] as Body)["name"]]).toEqual([
          'pods "many-" is forbidden: pod rejected: RuntimeClass "none" not found',
          "many-",
        ]);
        const other = await create({ priorityClassName: "none" }, { generateName: "many-" });
        expect(other.body["message"]).toBe(
          'pods "many-" is forbidden: no PriorityClass with name none was found',
        );
      });
    });

    it("is charged to quotas with its overhead", async () => {
      const hard = { "requests.cpu": "1", "limits.cpu": "1", "requests.memory": "1Gi" };
      await send("POST", `${space}/resourcequotas`, { metadata: { name: "quota" }, spec: { hard } });
      const used = async (): Promise<unknown> =>
        ((await send("GET", `${space}/resourcequotas/quota`)).body["status"] as Body)["used"];
      await eventually(async () =>
        expect(await used()).toEqual({ "requests.cpu": "0", "limits.cpu": "0", "requests.memory": "0" }),
      );
      const resources = { requests: { cpu: "100m", memory: "1Mi" }, limits: { cpu: "200m" } };
      const containers = [{ name: "c", image: "i", resources }];
      // What the controller has counted, admission may not have read yet.
      const tooMuch = [{ name: "c", image: "i", resources: { limits: { cpu: "2", memory: "1Mi" } } }];
      await eventually(async () => expect((await create({ containers: tooMuch })).status).toBe(403));
      const { body } = await create({ runtimeClassName: "heavy", containers }, { name: "charged" }, "");
      expect(metadataOf(body)["name"]).toBe("charged");
      await eventually(async () =>
        expect(await used()).toEqual({
          "requests.cpu": "350m",
          "limits.cpu": "450m",
          "requests.memory": "121Mi",
        }),
      );
    });
  },
  {
    real: { controllers: "resourcequota-controller" },
  },
);
