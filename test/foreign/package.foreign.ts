// The packed package as others see it: linters of packages, and other runtimes, which npm fetches; skipped aloud without a registry.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packPackage, type PackedPackage } from "../build/packed-package.ts";

/** Runs a program of an npm package. */
function npmExec(packages: readonly string[], command: readonly string[], cwd?: string) {
  const named = packages.map((name) => `--package=${name}`);
  const args = ["exec", "--yes", ...named, "--", ...command];
  return spawnSync("npm", args, { cwd, encoding: "utf8" });
}

const isOnline = spawnSync("npm", ["view", "publint", "version"], { encoding: "utf8" }).status === 0;
if (!isOnline) console.warn("no npm registry: the package is not linted, and not run on other runtimes");

let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage(["zod", "@types/node"]);
  const flags = ["--kind", "Memcached", "--group", "cache.example.com", "--version", "v1alpha1"];
  const bin = join(packed.folder, "node_modules/xstate-operator/bin/xstate-operator.js");
  const made = spawnSync(process.execPath, [bin, "init", "cache", ...flags], { cwd: packed.folder });
  expect(made.status).toBe(0);
}, 240_000);
afterAll(() => packed.remove());

describe.skipIf(!isOnline)("the package", () => {
  it("has nothing that publint objects to", () => {
    const { status, stdout } = npmExec(["publint@0.3.25"], ["publint", "--strict", packed.tarball]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("All good!") as string });
  }, 120_000);

  it("has types that ES modules and bundlers find, for every entry", () => {
    const tool = "@arethetypeswrong/cli@0.18.5";
    const { status, stdout } = npmExec([tool], ["attw", "--profile", "esm-only", packed.tarball]);
    expect(status, stdout).toBe(0);
  }, 120_000);

  it.each(["22.19.0", "24", "26"])(
    "passes the tests of a new project on Node %s",
    (version) => {
      const test = ["node", "--disable-warning=ExperimentalWarning", "--test", "--test-reporter=tap"];
      const cwd = join(packed.folder, "cache");
      const { stdout, stderr } = npmExec([`node@${version}`], [...test, "test/**/*.test.ts"], cwd);
      expect(stdout, stderr).toMatch(/^# fail 0$/m);
    },
    240_000,
  );

  it("runs a new project on Deno", () => {
    const cwd = join(packed.folder, "cache");
    writeFileSync(join(cwd, "once.ts"), once);
    const run = ["deno", "run", "--allow-all", "--node-modules-dir=manual", "once.ts"];
    const { stdout, stderr } = npmExec(["deno@2.9.6"], run, cwd);
    expect(stdout, stderr).toBe("Running\n");
  }, 240_000);
});

const once = `import operator from "./operator.ts";
import { Memcached } from "./src/memcached/memcached.ts";
import { eventually, runOnCluster } from "./test/cluster.ts";

const key = { namespace: "default", name: "first" };
const running = await runOnCluster(operator);
await running.client.create(Memcached, {
  apiVersion: "cache.example.com/v1alpha1",
  kind: "Memcached",
  metadata: key,
  spec: { replicas: 2 },
});
await eventually(async () => {
  const { status } = await running.client.get(Memcached, key);
  if (status?.lifecycle?.state !== "Running") throw new Error("not running yet");
});
await running.stop();
console.log("Running");
`;
