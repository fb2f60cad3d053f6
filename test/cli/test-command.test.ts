// `test` on a cluster in the process, beside an operator, and as it looks on a terminal.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { columnsOf } from "../../src/cli/wrap-line.ts";
import { runCommand } from "./run-in-process.ts";

const fixtures = join(import.meta.dirname, "../fixtures/kuttl");
const examples = join(import.meta.dirname, "../../examples");
const env = { PATH: process.env["PATH"] ?? "" };

let folder = "";
let cluster: Cluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-test-"));
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe("test", () => {
  it("runs on a cluster of its own, whose pods run", async () => {
    const { code, out, err } = await runCommand(["test", "pods"], env, { folder: fixtures });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /✓ deployment.*\n|✓ init-once.*\n2 test cases: 2 passed, 0 failed\n$/,
      ) as string,
    });
    expect(err).toContain("the cluster is up");
  });

  it("runs an operator meanwhile, and waits until what it made is gone with the namespace", async () => {
    write({
      "memcached/grow/00-install.yaml":
        "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: m}\nspec: {size: 2}\n",
      "memcached/grow/00-assert.yaml":
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: m}\nstatus: {readyReplicas: 2}\n",
      "memcached/grow/01-scale.yaml":
        "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: m}\nspec: {size: 3}\n",
      "memcached/grow/01-assert.yaml":
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: m}\nstatus: {readyReplicas: 3}\n",
      "memcached/grow/02-errors.yaml": "apiVersion: v1\nkind: Pod\nstatus: {phase: Failed}\n",
    });
    const args = ["test", "memcached", "--operator", join(examples, "memcached/operator.ts")];
    const said = await runCommand(args, env, { folder });
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining("1 passed, 0 failed") as string });
  });

  it("says what keeps an operator from running", async () => {
    write({ "broken-operator.ts": "export default 1;\n" });
    const { code, err } = await runCommand(["test", "memcached", "--operator", "broken-operator.ts"], env, {
      folder,
    });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("OPERATOR_MISSING") as string });
  });

  it("fits a terminal of 60 columns", async () => {
    const args = ["test", "broken/wrong-value", "--kubeconfig", cluster.kubeconfig];
    const { code, out } = await runCommand(args, env, {
      folder: fixtures,
      screen: { columns: 60, rows: 20 },
    });
    expect(code).toBe(1);
    for (const line of out.split("\n")) expect(columnsOf(line), line).toBeLessThanOrEqual(60);
  });

  it.each([
    [["test"], 2, /no folder of test cases was named/],
    [["test", "nowhere"], 1, /there is no folder nowhere/],
    [["test", "empty"], 1, /empty has no test cases/],
    [["test", "memcached", "--test", "grown"], 1, /there is no test case "grown".*\n.*Did you mean "grow"\?/],
    [["test", "memcached", "--skip-delete"], 2, /--skip-delete leaves objects on a cluster that ends/],
    [
      ["test", "memcached", "--pods", "process", "--kubeconfig", "x"],
      2,
      /--pods is about the cluster in this process/,
    ],
    [["test", "wrong"], 1, /wrong\/case\/00-assert\.yaml:3 timeout is "soon"/],
    [["test", "unknown", "--timeout", "1s"], 1, /the cluster has no kind Nonsense in example\.com\/v1/],
  ])("%j", async (args, code, message) => {
    mkdirSync(join(folder, "empty"), { recursive: true });
    write({
      "wrong/case/00-assert.yaml": "apiVersion: kuttl.dev/v1beta1\nkind: TestAssert\ntimeout: soon\n",
      "unknown/case/00-x.yaml": "apiVersion: example.com/v1\nkind: Nonsense\nmetadata: {name: a}\n",
    });
    const said = await runCommand(args, env, { folder });
    expect(`${said.out}${said.err}`).toMatch(message);
    expect(said.code).toBe(code);
  });
});
