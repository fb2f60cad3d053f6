// What of the log of a simulated container is shown: of which instance, since when, how much, and with which times. On a virtual clock.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Pod } from "../../../../src/kinds/builtin/core.ts";
import { startScriptedCluster, type ScriptedCluster } from "./support/scripted-cluster.ts";

let cluster: ScriptedCluster;
let began = 0;

beforeAll(async () => {
  cluster = await startScriptedCluster(`
pods:
  - match: { name: crashing }
    exit: { code: 1, after: 5s }
    times: 1
    logs: |
      first
      second
      third
`);
  const { client, clock } = cluster;
  began = clock.now();
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name: "crashing" },
    spec: { containers: [{ name: "main", image: "app:1" }] },
  });
  await clock.advance(60_000);
});
afterAll(() => cluster.stop());

const first = "first\nsecond\nthird\n";
const own = "simulated container main of pod default/crashing\n";

it.each([
  ["the newest instance", {}, own],
  ["the one before", { previous: true }, first],
  ["its last lines", { previous: true, tailLines: 2 }, "second\nthird\n"],
  ["no lines", { previous: true, tailLines: 0 }, ""],
  ["more lines than there are", { previous: true, tailLines: 9 }, first],
  ["its first bytes", { previous: true, limitBytes: 8 }, "first\nse"],
  ["what was said lately", { sinceSeconds: 1 }, ""],
  ["what was said in the last minute", { sinceSeconds: 61 }, own],
  ["what was said since a time", { previous: true, sinceTime: "1970-01-01T00:00:00Z" }, first],
  ["what was said since a later time", { previous: true, sinceTime: "2999-01-01T00:00:00Z" }, ""],
] as const)("shows %s", async (_, request, text) => {
  expect(await read(request)).toBe(text);
});

it("puts the time before each line", async () => {
  const lines = (await read({ previous: true, timestamps: true })).trimEnd().split("\n");
  const times = lines.map((line) => line.split(" ", 1)[0] ?? "");
  expect(lines.map((line) => line.split(" ")[1])).toEqual(["first", "second", "third"]);
  for (const time of times) {
    expect(Date.parse(time)).toBeGreaterThanOrEqual(began);
    expect(Date.parse(time)).toBeLessThan(began + 5_000);
  }
});

async function read(request: object): Promise<string> {
  let text = "";
  const asked = { namespace: "default", name: "crashing", ...request };
  for await (const chunk of cluster.pods.logs(asked)) text += chunk;
  return text;
}
