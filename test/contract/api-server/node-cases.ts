// Nodes: what is filled in of one that says nothing of itself, and what keeps pods from it.
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const nodes = "/api/v1/nodes";
const merge = { contentType: "application/merge-patch+json" };
const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const info = Object.fromEntries(
  [
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
  ].map((name) => [name, ""]),
);
const daemonEndpoints = { kubeletEndpoint: { Port: 0 } };

/** Declares the cases. */
export function declareNodeCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const create = async (name: string, content: Body = {}): Promise<Body> => {
    const { body } = await send("POST", nodes, { metadata: { name }, ...content });
    return body;
  };

  it("taints a new node as not ready, which nobody owns, and writes out what it does not say", async () => {
    const node = await create("plain");
    expect([node["spec"], node["status"]]).toEqual([
      { taints: [notReady] },
      { daemonEndpoints, nodeInfo: info },
    ]);
    expect(metadataOf(node)).not.toHaveProperty("managedFields");
    const mine = { key: "a", effect: "NoExecute" };
    expect((await create("tainted", { spec: { taints: [mine] } }))["spec"]).toEqual({
      taints: [mine, notReady],
    });
    const known = { ...notReady, value: "x" };
    expect((await create("known", { spec: { taints: [known] } }))["spec"]).toEqual({ taints: [known] });
  });

  it("takes the status of a new node, and offers to pods all that it has", async () => {
    const capacity = { cpu: "2" };
    const node = await create("reported", { status: { capacity, nodeInfo: { osImage: "q" } } });
    const complete = { capacity, allocatable: capacity, daemonEndpoints };
    expect(node["status"]).toEqual({ ...complete, nodeInfo: { ...info, osImage: "q" } });
    const { body } = await send("PATCH", `${nodes}/reported/status`, { status: { nodeInfo: null } }, merge);
    expect(body["status"]).toEqual({ ...complete, nodeInfo: info });
  });

  it("says in the labels of pods where their node is", async () => {
    const [zone, region] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];
    const own = { [zone]: "a", [region]: "b" };
    await create("placed", {
      metadata: { name: "placed", labels: { ...own, "topology.kubernetes.io/rack": "c" } },
    });
    await create("nowhere");
    await send("POST", "/api/v1/namespaces", { metadata: { name: "places" } });
    const space = "/api/v1/namespaces/places";
    // No controller makes it.
    await send("POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
    const pods = `${space}/pods`;
    const pod = async (name: string, more: Body = {}, query = ""): Promise<Body> => {
      const { status, body, text } = await send("POST", `${pods}${query}`, {
        metadata: { name, labels: { [zone]: "mine", app: "x" } },
        spec: { schedulerName: "nobody", containers: [{ name: "c", image: "i" }], ...more },
      });
      expect(status, text).toBe(201);
      return metadataOf(body)["labels"] as Body;
    };
    const bound = async (name: string, target: Body): Promise<unknown> => {
      await pod(name);
      const binding = { metadata: { name, labels: { [region]: "mine", bound: "yes" } }, target };
      expect((await send("POST", `${pods}/${name}/binding`, binding)).status).toBe(201);
      return metadataOf((await send("GET", `${pods}/${name}`)).body)["labels"];
    };
    try {
      // The real server looks at nodes as it has last seen them.
      await eventually(async () => {
        const labels = await pod("created-there", { nodeName: "placed" }, "?dryRun=All");
        expect(labels).toEqual({ ...own, app: "x" });
      });
      expect(await pod("created-there", { nodeName: "placed" })).toEqual({ ...own, app: "x" });
      expect(await pod("created-nowhere", { nodeName: "nowhere" })).toEqual({ [zone]: "mine", app: "x" });
      expect(await pod("created-absent", { nodeName: "absent" })).toEqual({ [zone]: "mine", app: "x" });
      const noted = { app: "x", bound: "yes" };
      expect(await bound("bound-there", { kind: "Node", name: "placed" })).toEqual({ ...own, ...noted });
      const unchanged = { [zone]: "mine", [region]: "mine", ...noted };
      expect(await bound("bound-unsaid", { name: "placed" })).toEqual(unchanged);
      expect(await bound("bound-nowhere", { kind: "Node", name: "nowhere" })).toEqual(unchanged);
    } finally {
      await send("DELETE", pods, { gracePeriodSeconds: 0 });
      await send("DELETE", space);
    }
  });

  it("refuses two taints of the same key and effect", async () => {
    const taint = { key: "a", effect: "NoSchedule" };
    const { details } = await create("twice", { spec: { taints: [taint, { ...taint, value: "x" }] } });
    const shown = { Key: "a", Value: "x", Effect: "NoSchedule", TimeAdded: null };
    expect(details).toMatchObject({
      causes: [
        {
          field: "metadata.taints[1]",
          message: `Duplicate value: ${JSON.stringify(shown)}: taints must be unique by key and effect pair`,
        },
      ],
    });
    const allowed = [taint, { ...taint, effect: "NoExecute" }];
    expect((await create("both", { spec: { taints: allowed } }))["kind"]).toBe("Node");
  });

  it.each([
    ["X", ["Equal", "Exists"]],
    ["Lt", ["Equal", "Exists", "Lt", "Gt"]],
  ])("says which operators a toleration may have in place of %s", async (operator, supported) => {
    const { body } = await send("POST", "/apis/node.k8s.io/v1/runtimeclasses?dryRun=All", {
      metadata: { name: "tolerant" },
      handler: "h",
      scheduling: { tolerations: [{ key: "a", operator, value: "1", effect: "NoSchedule" }] },
    });
    const list = supported.map((each) => JSON.stringify(each)).join(", ");
    expect(body["details"]).toMatchObject({
      causes: [{ message: `Unsupported value: "${operator}": supported values: ${list}` }],
    });
  });
}
