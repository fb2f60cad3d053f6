// Which ports of the nodes a Service is given beside those that it has, on both API servers: among them the one for health checks.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { createRawClient, type Body, type RawClient } from "./api-server/raw-request.ts";

const services = "/api/v1/namespaces/node-ports/services";
const port = (number: number, more: Body = {}): Body => ({ name: `p${number}`, port: number, ...more });
const balanced = (name: string, ports: readonly Body[], more: Body = {}): Body => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { type: "LoadBalancer", externalTrafficPolicy: "Local", ports, ...more },
});

describeOnEachApiServer("the ports on the nodes", (server) => {
  let client: RawClient;
  const send: RawClient["send"] = (...request) => client.send(...request);

  beforeAll(async () => {
    client = createRawClient(server());
    await send("POST", "/api/v1/namespaces", { metadata: { name: "node-ports" } });
  });
  afterAll(() => client.close());

  /** The ports of a Service's answer, that for health checks last, which all differ. */
  async function portsOf(answer: ReturnType<RawClient["send"]>): Promise<readonly unknown[]> {
    const { status, body } = await answer;
    expect([status, body["message"]]).toEqual([expect.toBeOneOf([200, 201]), undefined]);
    const { ports, healthCheckNodePort } = body["spec"] as { ports: Body[]; healthCheckNodePort?: number };
    const given = [...ports.map(({ nodePort }) => nodePort), healthCheckNodePort];
    expect(new Set(given).size).toBe(given.length);
    return given;
  }

  it.each([
    ["a whole object", "PUT", undefined],
    ["a patch", "PATCH", "application/merge-patch+json"],
  ] as const)("are others than that for health checks where %s adds one", async (_, method, contentType) => {
    const name = method.toLowerCase();
    const [first, health] = await portsOf(send("POST", services, balanced(name, [port(80)])));
    const { body } = await send("GET", `${services}/${name}`);
    const spec = body["spec"] as Body;
    const ports = [port(80), port(81), port(82)];
    const changed = method === "PUT" ? { ...body, spec: { ...spec, ports } } : { spec: { ports } };
    const given = await portsOf(
      send(method, `${services}/${name}`, changed, contentType === undefined ? {} : { contentType }),
    );
    expect([given[0], given.at(-1)]).toEqual([first, health]);
    expect(given.every((each) => typeof each === "number")).toBe(true);
  });

  it("are others than that for health checks which a new Service asks for", async () => {
    // What nobody has any more is given out first on the one of the two that does not draw.
    const [free] = await portsOf(send("POST", services, balanced("before", [port(80)])));
    await send("DELETE", `${services}/before`);
    const asked = balanced("asks", [port(80), port(81)], { healthCheckNodePort: free });
    expect((await portsOf(send("POST", services, asked))).at(-1)).toBe(free);
  });

  it("are others than that for health checks where a change brings both", async () => {
    const spec = { externalTrafficPolicy: "Cluster" };
    const [first] = await portsOf(send("POST", services, balanced("late", [port(80)], spec)));
    const given = await portsOf(
      send(
        "PATCH",
        `${services}/late`,
        { spec: { externalTrafficPolicy: "Local", ports: [port(80), port(81)] } },
        { contentType: "application/merge-patch+json" },
      ),
    );
    expect(given[0]).toBe(first);
    expect(given).toHaveLength(3);
  });
});
