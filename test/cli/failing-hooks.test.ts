// What the log says of a hook that throws: one line, with the place in the author's source, also of one that was compiled.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startCommand } from "../support/operator-process.ts";

const { root } = readPackage();

/** Its types and its enum are taken out by a compiler, so that lines and columns move. */
const source = `
import { defineController, defineKind, defineOperator, TerminalError } from ${JSON.stringify(join(root, "src", "index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules", "zod", "index.js"))};
enum Fault { Deep = "deep", Given = "given" }
interface Wanted { readonly fault: Fault }
const Job = defineKind({
  group: "failing.example.com", version: "v1", kind: "Job",
  spec: z.object({ fault: z.string() }),
});
function port(fault: Fault): number {
  if (fault === Fault.Given) throw new TerminalError("NO_PORT", "there is no port", { remedy: "Name one." });
  throw new Error("no port in password=hunter22hunter22");
}
export default defineOperator({
  name: "failing",
  controllers: [
    defineController(Job, {
      steps: { Mutator: async ({ cr }) => { await null; port((cr.spec as Wanted).fault); } },
    }),
  ],
});
`;

interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

describe("a hook that throws", () => {
  let folder = "";
  let cluster: Cluster;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-failing-"));
    const options = { mode: "transform", sourceMap: true, sourceUrl: "operator.mts" } as const;
    writeFileSync(join(folder, "operator.mts"), source);
    writeFileSync(join(folder, "operator.mjs"), stripTypeScriptTypes(source, options));
    cluster = await startCluster({ controllers: false });
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is one line in the log, with the stage and the lines of the source", async () => {
    const running = startCommand([
      "run",
      join(folder, "operator.mjs"),
      "--kubeconfig",
      cluster.kubeconfig,
      "--install-crds",
      "--log-format",
      "json",
    ]);
    try {
      await eventually(() => expect(running.output()).toContain('"msg":"running"'));
      const client = await clientOf(cluster.kubeconfig);
      const type = {
        group: "failing.example.com",
        version: "v1",
        kind: "Job",
        plural: "jobs",
        namespaced: true,
      };
      for (const fault of ["deep", "given"]) {
        await client.create(type, {
          apiVersion: "failing.example.com/v1",
          kind: "Job",
          metadata: { name: fault, namespace: "default" },
          spec: { fault },
        });
      }
      await client.close();
      const linesOf = (name: string): readonly Line[] =>
        running
          .output()
          .split("\n")
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line) as Line)
          .filter(({ object }) => object === `default/${name}`);
      await eventually(() => {
        expect(linesOf("deep").length).toBeGreaterThanOrEqual(2);
        expect(linesOf("given")).toHaveLength(1);
      });
      const [first, second] = linesOf("deep");
      const row = (text: string): number => source.split("\n").findIndex((line) => line.includes(text)) + 1;
      const file = join(folder, "operator.mts");
      expect(first).toMatchObject({
        level: "error",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        msg: "reconcile failed",
        error: "no port in password=[redacted]",
        stage: "Mutator",
        where: expect.stringMatching(`^${file}:${row("throw new Error")}:\\d+$`),
      });
      const [at, from] = String(first?.["stack"]).split("\n");
      expect(at).toMatch(`at port (${file}:${row("throw new Error")}:`);
      expect(from).toMatch(`${file}:${row("Mutator: async")}:`);
      expect(JSON.stringify(first)).not.toContain("hunter22");
      // The retry has a line of its own, and nothing else has one.
      expect(second?.["reconcileId"]).not.toBe(first?.["reconcileId"]);
      expect(linesOf("given")[0]).toMatchObject({
        level: "warn",
        msg: "gave up",
        reason: "there is no port",
        code: "NO_PORT",
        remedy: "Name one.",
        stage: "Mutator",
        where: expect.stringContaining(`${file}:${row("new TerminalError")}:`),
      });
    } finally {
      running.child.kill("SIGTERM");
      await running.exit;
    }
  });
});
