// The stacks of a built operator: they name the author's lines, and nothing in the file that it was built into; and that costs little.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SourceMap, type SourceMapPayload } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type Cluster } from "../../src/cluster/index.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const root = join(import.meta.dirname, "../..");
const source = `import { defineController, defineKind, defineOperator } from ${JSON.stringify(join(root, "src/index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules/zod/index.js"))};
const Cup = defineKind({ group: "stacks.example.com", version: "v1", kind: "Cup", spec: z.object({}) });

function spill(): never {
  throw new Error("spilt");
}

export default defineOperator({
  name: "cups",
  controllers: [defineController(Cup, { steps: { ObjectsGetter: () => spill() } })],
});
`;

describe("the stacks of a built operator", () => {
  let folder: string;
  let built: string;
  let cluster: Cluster;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-stacked-"));
    built = mkdtempSync(join(tmpdir(), "xstate-operator-stacks-"));
    writeFileSync(join(folder, "operator.ts"), source);
    cluster = await startCluster({ controllers: false });
    const { code, err } = await runCommand(["build", join(folder, "operator.ts"), "--out", built]);
    expect(code, err).toBe(0);
  }, 240_000);
  afterAll(async () => {
    await cluster.stop();
    for (const each of [folder, built]) rmSync(each, { recursive: true });
  });

  it("come from a map of the author's modules alone, which ends where they do", () => {
    const map = join(built, "operator.mjs.map");
    expect(statSync(map).size).toBeLessThan(50_000);
    const payload = JSON.parse(readFileSync(map, "utf8")) as SourceMapPayload;
    expect(payload.sources).toEqual([expect.stringMatching(/operator\.ts$/)]);
    const code = readFileSync(join(built, "operator.mjs"), "utf8").split("\n");
    const sourceMap = new SourceMap(payload);
    const sourceAt = (part: string): string | undefined => {
      const line = code.findIndex((text) => text.includes(part));
      const column = code[line]?.indexOf(part) ?? expect.fail(`there is no ${part}`);
      const found = sourceMap.findEntry(line, column);
      return "originalSource" in found ? found.originalSource : undefined;
    };
    expect(sourceAt("spilt")).toMatch(/operator\.ts$/);
    // What this package says, before and behind it.
    for (const part of [
      "Await or catch the failure",
      "the process ended before",
      "runBuiltOperator(operator)",
    ])
      expect(sourceAt(part), part).toBeUndefined();
  });

  it("name the author's lines, and no place in the file", async () => {
    const flags = ["--install-crds", "--log-format", "json", "--kubeconfig", cluster.kubeconfig];
    // As in an image, which keeps the compiled code.
    const env = { NODE_COMPILE_CACHE: join(built, "compiled") };
    spawnSync(process.execPath, ["--enable-source-maps", "operator.mjs", "--version"], { cwd: built, env });
    const child = spawn(process.execPath, ["--enable-source-maps", "operator.mjs", ...flags], {
      cwd: built,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (more: string) => (said += more));
    const client = await clientOf(cluster.kubeconfig);
    const type = {
      group: "stacks.example.com",
      version: "v1",
      kind: "Cup",
      plural: "cups",
      namespaced: true,
    };
    try {
      await eventually(
        () =>
          client.create(type, {
            apiVersion: "stacks.example.com/v1",
            kind: "Cup",
            metadata: { name: "tea", namespace: "default" },
            spec: {},
          }),
        60_000,
      );
      const failed = await eventually(
        () => said.split("\n").find((line) => line.includes("spilt")) ?? expect.fail(said),
      );
      const file = join(folder, "operator.ts");
      expect(JSON.parse(failed)).toMatchObject({
        where: `${file}:6:9`,
        stack: expect.stringMatching(
          new RegExp(`^at spill \\(${file}:6:9\\)\nat (?:\\S+ \\()?${file}:11:\\d+\\)?$`),
        ),
      });
    } finally {
      child.kill("SIGKILL");
      await client.close();
    }
  }, 120_000);
});
