// From the packed package to a first project, in an empty folder: what is said to strangers holds.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster } from "../../src/cluster/index.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { packPackage, type PackedPackage } from "./packed-package.ts";

let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage(["zod", "typescript", "@types/node", "rolldown"], { withOptional: false });
}, 240_000);
afterAll(() => packed.remove());

const installed = (): string => join(packed.folder, "node_modules/xstate-operator");

describe("the published package", () => {
  it("has a manifest without scripts, development packages and conditions for this repository", () => {
    const { scripts, devDependencies, devEngines, allowScripts, exports } = packed.manifest;
    expect({ scripts, devDependencies, devEngines, allowScripts }).toEqual({});
    expect(JSON.stringify(exports)).not.toContain("./src/");
  });

  it("has every file that an entry names, and no other than compiled code and what that reads", () => {
    const { exports, bin } = packed.manifest as {
      readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
      readonly bin: Readonly<Record<string, string>>;
    };
    const named = [...Object.values(exports).flatMap((entry) => Object.values(entry)), ...Object.values(bin)];
    expect(packed.files).toEqual(expect.arrayContaining(named.map((file) => file.replace(/^\.\//, ""))));
    const browser = /^dist\/src\/[a-z]+\/browser\/.*\.js$/;
    const others = packed.files.filter(
      (file) => !/\.d\.ts$|^dist\/chunks\/[\w-]+\.js(\.map)?$/.test(file) && !browser.test(file),
    );
    expect(packed.files.some((file) => browser.test(file))).toBe(true);
    const entries = Object.values(exports).map((entry) => entry["default"]?.replace(/^\.\//, "") ?? "");
    const started = ["cli/built-operator", "cli/main", "sidecar/sidecar-process", "web/drawing-thread"].map(
      (name) => `dist/src/${name}.js`,
    );
    const found = ["explain/length", "ports/own-folder", "ports/packed-parts", "ports/run-journal"];
    const known = new Set([...entries, ...started, ...[...entries, ...started].map((file) => `${file}.map`)]);
    expect(others.filter((file) => !known.has(file)).toSorted()).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "bin/xstate-operator.js",
        "dist/licenses.txt",
        "dist/src/dashboard/browser/dashboard.css",
        "dist/src/inspect/browser/inspector.css",
        ...found.map((name) => `dist/src/${name}.js`),
        "dist/src/scaffold/dictionary.yaml",
        "dist/src/web/browser/drawing-frame.css",
        "dist/src/web/browser/page.css",
        "package.json",
      ].toSorted(),
    );
  });

  it("has types that lead to nothing but its own files, its dependencies and Node", () => {
    const { dependencies, optionalDependencies, peerDependencies } = packed.manifest;
    const names = Object.keys({
      ...(dependencies as object),
      ...(optionalDependencies as object),
      ...(peerDependencies as object),
    });
    const types = packed.files.filter((file) => file.endsWith(".d.ts"));
    const foreign = types.flatMap((file) =>
      [...readFileSync(join(installed(), file), "utf8").matchAll(/(?:\bfrom |\bimport\()"([^".][^"]*)"/g)]
        .map(([, name = ""]) => name)
        .filter(
          (name) => !name.startsWith("node:") && !names.some((known) => `${name}/`.startsWith(`${known}/`)),
        )
        .map((name) => `${file}: ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it("names the licence of each package that is a part of it", () => {
    const text = readFileSync(join(installed(), "dist/licenses.txt"), "utf8");
    for (const name of ["undici", "rxjs", "yaml", "commander"])
      expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
  });
});

describe("the published package without its optional packages", () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(installed(), "bin/xstate-operator.js"), ...args], {
      cwd: packed.folder,
      env: { ...process.env, NODE_OPTIONS: "" },
      encoding: "utf8",
    });
  beforeAll(() => {
    writeFileSync(join(packed.folder, "package.json"), '{ "type": "module" }');
    for (const { file, text } of codeBlocks("README.md")) writeFileSync(join(packed.folder, file), text);
  });

  it("runs an operator on an API server, from a start to its end", async () => {
    const cluster = await startCluster();
    const client = await clientOf(cluster.kubeconfig);
    const loaded = join(packed.folder, "loaded.txt");
    const hook = `import { registerHooks } from "node:module"; import { appendFileSync } from "node:fs";
registerHooks({ load: (url, context, next) => { appendFileSync(${JSON.stringify(loaded)}, url + "\\n"); return next(url, context); } });`;
    writeFileSync(join(packed.folder, "hook.mjs"), hook);
    const args = [
      "run",
      "shop.ts",
      "--kubeconfig",
      cluster.kubeconfig,
      "--install-crds",
      "--record",
      "shop.ndjson",
      "--metrics-bind-address",
      "127.0.0.1:0",
    ];
    const child = spawn(
      process.execPath,
      ["--import", "./hook.mjs", join(installed(), "dist/src/cli/main.js"), ...args],
      {
        cwd: packed.folder,
        env: { ...process.env, NODE_OPTIONS: "" },
      },
    );
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more) => (said += more));
    try {
      const type = {
        group: "web.example.com",
        version: "v1",
        kind: "Shop",
        plural: "shops",
        namespaced: true,
      };
      await eventually(() => client.list(type));
      const metadata = { name: "corner", namespace: "default" };
      await client.create(type, { apiVersion: "web.example.com/v1", kind: "Shop", metadata, spec: {} });
      await eventually(async () => {
        expect(await client.get(type, metadata)).toMatchObject({ status: { lifecycle: { state: "Open" } } });
      });
    } finally {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      expect((await ended)[0], said).toBe(0);
      await client.close();
      await cluster.stop();
    }
    const own = new Set(
      readFileSync(loaded, "utf8")
        .split("\n")
        .filter((url) => url.includes("/xstate-operator/dist/")),
    );
    // A thousand modules took twice as long: what a run loads is bundled, and what it does not use is not loaded.
    expect(own.size, [...own].join("\n")).toBeLessThan(40);
    expect([...own].join("\n")).not.toMatch(/chunks\/(cluster-testing|graph|generate|dashboard-server)\.js/);
  }, 120_000);

  it.each([
    ["the embedded cluster", "js-yaml", ["run", "shop.ts", "--embedded"]],
    ["drawing a graph", "elkjs", ["graph", "shop.ts", "--output", "svg"]],
    ["the dashboard", "preact", ["replay", "shop.ndjson", "--dashboard"]],
  ])("says which one %s needs, and how to install it", (what, name, args) => {
    const { status, stderr } = run(...args);
    expect(status, stderr).not.toBe(0);
    expect(stderr).toMatch(new RegExp(`${what} needs the package (${name}), which is not installed`));
    expect(stderr).toMatch(new RegExp(`do: Install it: npm install (${name})\\.`));
  });
});

/** The blocks of the guide with a file's name in their first line. */
const guide = new Map(
  [
    ...readFileSync("docs/guides/first-operator.md", "utf8").matchAll(
      /^```(?:yaml|typescript)\n(?:#|\/\/) ([a-z.-]+)\b[^\n]*\n(.*?)^```$/gms,
    ),
  ].map(([, file = "", text = ""]) => [file, text]),
);

describe("a first project", () => {
  beforeAll(() => packed.linkOptional());
  const path = (file: string): string => join(packed.folder, "cache", file);
  const command = (): string => join(packed.folder, "node_modules/xstate-operator/bin/xstate-operator.js");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const run = (cwd: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
    expect(status, `${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
    return `${stdout}${stderr}`;
  };
  it("is written, gets a second kind and the objects of a manifest as the guide says, and passes its own tests", () => {
    const flags = ["--group", "cache.example.com", "--version", "v1alpha1"];
    run(packed.folder, command(), "init", "cache", "--kind", "Memcached", ...flags);
    run(path(""), command(), "create", "api", "--kind", "BackupPlan", ...flags);
    writeFileSync(path("proxy.yaml"), guide.get("proxy.yaml") ?? "");
    const said = run(path(""), command(), "generate", "resource", "--kind", "Memcached", "proxy.yaml");
    const importsOf = (text: string): string[] =>
      [...text.matchAll(/^ *import \{(.+)\} from (".+");$/gm)].flatMap(([, names = "", module = ""]) =>
        names.split(",").map((name) => `${name.trim()} from ${module}`),
      );
    const wanted = importsOf(said);
    expect(wanted).toContain('Secret from "xstate-operator/kinds"');
    expect(importsOf(guide.get("controller.ts") ?? "")).toEqual(expect.arrayContaining(wanted));
    writeFileSync(path("src/memcached/controller.ts"), guide.get("controller.ts") ?? "");

    expect(run(path(""), join(packed.folder, "node_modules/typescript/bin/tsc"))).toBe("");
    expect(run(path(""), command(), "check", "operator.ts")).toContain("no problems found");
    const tested = run(
      path(""),
      "--disable-warning=ExperimentalWarning",
      "--test",
      "--test-reporter=tap",
      "test/**/*.test.ts",
    );
    expect(tested).toMatch(/^# fail 0$/m);
    expect(tested).not.toMatch(/warning/i);
  }, 300_000);

  it("runs on an embedded cluster, and says nothing but what concerns the operator", async () => {
    const child = spawn(process.execPath, [command(), "run", "operator.ts", "--embedded"], {
      cwd: path(""),
      env,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more) => (said += more));
    try {
      const kubeconfig = await eventually(() => {
        expect(child.exitCode, said).toBe(null);
        expect(said).toContain('"running"');
        return /export KUBECONFIG=(\S+)/.exec(said)?.[1] ?? expect.fail(said);
      });
      const client = await clientOf(kubeconfig);
      const type = {
        group: "cache.example.com",
        version: "v1alpha1",
        kind: "Memcached",
        plural: "memcacheds",
        namespaced: true,
      };
      await client.create(type, {
        apiVersion: "cache.example.com/v1alpha1",
        kind: "Memcached",
        metadata: { name: "first", namespace: "default" },
        spec: { replicas: 2 },
      });
      await eventually(async () => {
        const object = await client.get(type, { namespace: "default", name: "first" });
        expect(object).toMatchObject({ status: { lifecycle: { state: "Running" } } });
      });
      await client.close();
    } finally {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      expect((await ended)[0], said).toBe(0);
    }
    expect(said).not.toMatch(/warning|deprecat|experimental/i);
  }, 120_000);

  it("is built into one file that runs alone with every server that it has", async () => {
    const said = run(path(""), command(), "build", "operator.ts");
    expect(said).toMatch(/operator\.mjs {2}\d\.\d MB, starts in \d+ ms/);
    const alone = mkdtempSync(join(tmpdir(), "xstate-operator-alone-"));
    copyFileSync(path("dist/operator.mjs"), join(alone, "operator.mjs"));
    const cluster = await startCluster({ controllers: false });
    const servers = ["--health-probe-bind-address", "--metrics-bind-address"].flatMap((flag) => [
      flag,
      "127.0.0.1:0",
    ]);
    const args = [
      "operator.mjs",
      "--kubeconfig",
      cluster.kubeconfig,
      "--install-crds",
      "--leader-elect",
      ...servers,
    ];
    const child = spawn(process.execPath, args, { cwd: alone, env: {} });
    const ended = once(child, "exit");
    let log = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more) => (log += more));
    try {
      await eventually(() => {
        expect(child.exitCode, log).toBe(null);
        expect(log).toContain('"running"');
      });
      const url = /"url":"([^"]+)","msg":"metrics served"/.exec(log)?.[1] ?? expect.fail(log);
      expect(await (await fetch(new URL("metrics", url))).text()).toContain(
        "controller_runtime_reconcile_total",
      );
    } finally {
      child.kill("SIGTERM");
      expect((await ended)[0], log).toBe(0);
      await cluster.stop();
      rmSync(alone, { recursive: true });
    }
  }, 120_000);
});
