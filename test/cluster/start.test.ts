// What a start of a cluster does not load: what only clients need, and what a kept certificate makes needless.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startCluster } from "../../src/cluster/start-cluster.ts";

const root = join(import.meta.dirname, "../..");

/** Starts a cluster on a folder, and prints the modules that were loaded for it. */
const program = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
  const [data] = process.argv.slice(1);
  const { startCluster } = await import("xstate-operator/cluster");
  const cluster = await startCluster({ data });
  await cluster.stop();
  console.log(JSON.stringify(loaded));
`;

async function loadedBy(data: string): Promise<readonly string[]> {
  const args = ["--conditions=xstate-operator-source", "--input-type=module", "--eval", program, data];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as readonly string[];
}

it("a start loads no HTTP client, and on a kept folder nothing that makes certificates", async () => {
  const data = await mkdtemp(join(tmpdir(), "xstate-operator-start-"));
  try {
    const first = await loadedBy(data);
    const needless =
      /node_modules\/(?:undici|@kubernetes|commander|pino)\/|\/src\/client\/(?:http-|exec|kube-config)/;
    expect(first.filter((url) => needless.test(url))).toEqual([]);
    expect(first.some((url) => url.includes("/selfsigned/"))).toBe(true);
    const again = await loadedBy(data);
    expect(again.filter((url) => /\/(?:selfsigned|@peculiar)\//.test(url))).toEqual([]);
  } finally {
    await rm(data, { recursive: true });
  }
}, 60_000);

it("a start that fails leaves no folder behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "xstate-operator-failed-"));
  const before = process.env["TMPDIR"];
  const file = join(folder, "file");
  await writeFile(file, "not a kubeconfig");
  process.env["TMPDIR"] = folder;
  const running = await startCluster({ directory: join(folder, "running"), data: join(folder, "data") });
  try {
    for (const options of [
      { port: Number(new URL(running.url).port) },
      { data: file },
      { data: join(folder, "data") },
      { kubeconfig: file },
      { kubeconfig: join(folder, "missing", "kubeconfig") },
    ]) {
      await expect(startCluster(options)).rejects.toThrow();
      expect((await readdir(folder)).toSorted()).toEqual(["data", "file", "running"]);
    }
    await (await startCluster()).stop();
    expect((await readdir(folder)).toSorted()).toEqual(["data", "file", "running"]);
  } finally {
    await running.stop();
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(folder, { recursive: true });
  }
});
