// The built package runs the README's operator, shows it, records it and replays it: what is true of the sources is true of
// what is installed.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimulatedPods, startCluster } from "../../src/cluster/index.ts";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/passing-proxy.ts";
import { installBuilt, type Project } from "./built-package.ts";

let project: Project;
const started: ChildProcess[] = [];
beforeAll(() => {
  project = installBuilt(codeBlocks("README.md"));
});
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
  project.remove();
});

/** Starts the installed command; what it says, and its end by SIGTERM. */
function start(...args: readonly string[]): {
  readonly said: (pattern: RegExp) => Promise<string>;
  readonly stop: () => Promise<void>;
} {
  const child = spawn(process.execPath, [project.command, ...args], {
    cwd: project.path(""),
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "inherit", "pipe"],
  });
  started.push(child);
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (more: string) => (err += more));
  return {
    said: (pattern) =>
      eventually(() => {
        expect(child.exitCode, err).toBe(null);
        return pattern.exec(err)?.[1] ?? expect.fail(err);
      }),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      expect((await ended)[0], err).toBe(0);
    },
  };
}

/** Loads a page as a browser does: its styles, its modules, and what these import; the addresses that were answered. */
async function load(page: URL): Promise<readonly string[]> {
  const seen = new Set<string>();
  const read = async (address: URL): Promise<void> => {
    if (seen.has(address.pathname)) return;
    seen.add(address.pathname);
    address.search = page.search;
    const answer = await fetch(address);
    const text = await answer.text();
    expect(answer.status, `${address.pathname}: ${text}`).toBe(200);
    const packages = /<script type="importmap">(.*?)<\/script>/.exec(text)?.[1] ?? '{"imports":{}}';
    const { imports } = JSON.parse(packages) as { readonly imports: Readonly<Record<string, string>> };
    const named = [
      ...text.matchAll(/(?:<link rel="stylesheet" href|<script type="module" src)="([^"]+)"/g),
      ...text.matchAll(/(?:^|[;}\s])(?:import|export)\b[^"';]*?["'](\.[^"']+)["']/g),
    ].map(([, name = ""]) => name);
    for (const name of [...named, ...Object.values(imports)]) await read(new URL(name, address));
  };
  await read(page);
  return [...seen];
}

describe("the built package", () => {
  it("has every entry, in types without what is internal", () => {
    const imports = project.entries.map((entry, at) => `import * as entry${at} from "${entry}";`);
    const names = project.entries.map((_, at) => `entry${at}`);
    const file = project.path("entries.ts");
    const view = "export type View = import('xstate-operator').RunOptions['onSynced'];";
    writeFileSync(file, [...imports, `console.log([${names.join(", ")}].length);`, view].join("\n"));
    const ran = spawnSync(process.execPath, [file], { cwd: project.path(""), encoding: "utf8" });
    expect(ran).toMatchObject({ stderr: "", stdout: `${project.entries.length}\n` });

    const compiler = new URL("../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
    const settings = "--noEmit --strict --module nodenext --target es2024 --lib es2024 --types";
    const types = new URL("../../node_modules/@types/node", import.meta.url).pathname;
    const checked = spawnSync(process.execPath, [compiler, ...settings.split(" "), types, file], {
      cwd: project.path(""),
      encoding: "utf8",
    });
    expect(checked.stdout.trim().split("\n")).toEqual([expect.stringContaining("'onSynced' does not exist")]);
  });

  it.each([
    [
      "an operator without code",
      ["build", "operator.yaml", "--out", "image"],
      "image/operator.mjs",
      "/nonexistent",
    ],
    ["a sidecar", ["sidecar", "--out", "beside"], "beside/sidecar.mjs", "/etc/sidecar/sidecar.yaml"],
  ])("builds %s, which starts", (_what, args, file, missing) => {
    copyFileSync("examples/memcached/operator.yaml", project.path("operator.yaml"));
    const run = (...command: readonly string[]) =>
      spawnSync(process.execPath, command, {
        cwd: project.path(""),
        env: { ...process.env, NODE_OPTIONS: "", KUBECONFIG: "/nonexistent" },
        encoding: "utf8",
      });
    expect(run(project.command, ...args)).toMatchObject({ status: 0 });
    // Neither has what it needs here; both say so.
    expect(run(project.path(file)).stderr).toContain(missing);
  });

  it("builds operators that make their own certificates", async () => {
    copyFileSync("examples/memcached/operator.yaml", project.path("operator.yaml"));
    const args = [project.command, "build", "operator.yaml", "--out", "secure"];
    expect(spawnSync(process.execPath, args, { cwd: project.path("") }).status).toBe(0);
    const cluster = await startCluster({ controllers: false });
    const flags = ["--install-crds", "--metrics-secure", "--metrics-bind-address", "127.0.0.1:0"];
    const child = spawn(process.execPath, [project.path("secure/operator.mjs"), ...flags], {
      env: { ...process.env, NODE_OPTIONS: "", KUBECONFIG: cluster.kubeconfig },
    });
    started.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more: string) => (said += more));
    try {
      await eventually(() => {
        expect(child.exitCode, said).toBe(null);
        expect(said).toMatch(/"url":"https:[^\n]*metrics served/);
      });
    } finally {
      child.kill("SIGKILL");
      await cluster.stop();
    }
  });

  it("lists, watches and runs commands through a proxy", async () => {
    const pods = createSimulatedPods();
    pods.answer({}, { exec: ({ command }) => ({ stdout: command.join(" ") }) });
    const cluster = await startCluster({ pods });
    const proxies = await Promise.all([startProxy(), startProxy("socks5"), startProxy()]);
    const [http, socks, ofVariable] = proxies;
    const { port } = new URL(cluster.url);
    const direct = readFileSync(cluster.kubeconfig, "utf8");
    const kubeconfig = (name: string, more: string): string => {
      const server = `server: https://cluster.example:${port}\n$1tls-server-name: localhost${more}`;
      writeFileSync(project.path(name), direct.replace(/^( +)server: .*$/m, `$1${server}`));
      return project.path(name);
    };
    const ways = [
      { path: kubeconfig("http.yaml", `\n$1proxy-url: ${http.url}`), env: {} },
      { path: kubeconfig("socks.yaml", `\n$1proxy-url: ${socks.url}`), env: {} },
      { path: kubeconfig("named.yaml", ""), env: { HTTPS_PROXY: ofVariable.url } },
    ];
    writeFileSync(
      project.path("proxied.ts"),
      `import { createKubeClient, loadConnection } from "xstate-operator/client";
import { Pod } from "xstate-operator/kinds";
const key = { namespace: "default", name: "worker" };
for (const way of ${JSON.stringify(ways)}) {
  const client = createKubeClient(await loadConnection(way));
  const [pod] = (await client.list(Pod)).items;
  const said = [pod?.metadata.name];
  const { signal } = new AbortController();
  for await (const event of client.watch(Pod, { resourceVersion: "0", signal })) {
    said.push(event.type);
    break;
  }
  const { stdout } = await client.exec(key, { command: ["say", "hello"], kill: false });
  console.log(...said, stdout.toString());
  await client.close();
}
`,
    );
    try {
      const client = await clientOf(cluster.kubeconfig);
      await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: "default", name: "worker" },
        spec: { containers: [{ name: "app", image: "none" }] },
      });
      await eventually(async () => {
        const { status } = await client.get(Pod, { namespace: "default", name: "worker" });
        expect(status?.phase).toBe("Running");
      });
      await client.close();
      const flag = "--disable-warning=ExperimentalWarning";
      const child = spawn(process.execPath, [flag, project.path("proxied.ts")], { cwd: project.path("") });
      started.push(child);
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (more: string) => (said += more));
      await once(child, "close");
      expect(said).toBe("worker ADDED say hello\n".repeat(3));
      for (const { asked } of proxies) expect(new Set(asked)).toEqual(new Set([`cluster.example:${port}`]));
    } finally {
      for (const { close } of proxies) close();
      await cluster.stop();
    }
  });

  it("runs, shows, records and replays the README's operator", { timeout: 90_000 }, async () => {
    const file = project.path("shop.ndjson");
    const seeing = ["--dashboard", "--inspect=local", "--record", file];
    const operator = start("run", "shop.ts", "--embedded", ...seeing);
    const kubeconfig = await operator.said(/export KUBECONFIG=(\S+)/);
    const dashboard = new URL(await operator.said(/dashboard: (\S+)/));
    const inspector = new URL(await operator.said(/inspector: (\S+)/));
    await operator.said(/"msg":"(running)"/);
    const client = await clientOf(kubeconfig);
    const type = { group: "web.example.com", version: "v1", kind: "Shop", plural: "shops", namespaced: true };
    const metadata = { name: "corner", namespace: "default" };
    await client.create(type, { apiVersion: "web.example.com/v1", kind: "Shop", metadata, spec: {} });
    await client.close();

    const loaded = await load(dashboard);
    expect(loaded).toEqual(
      expect.arrayContaining([
        "/files/dashboard.js",
        "/files/dashboard.css",
        "/packages/preact.js",
        "/explain/length.js",
      ]),
    );
    expect(await load(new URL(`viewer${inspector.search}`, inspector))).toEqual(
      expect.arrayContaining([
        "/files/viewer.js",
        "/files/inspector.css",
        "/web/browser/drawing-frame.js",
        "/web/browser/drawing-frame.css",
        "/web/browser/page.css",
        "/diagram/browser/lit-drawing.js",
      ]),
    );
    expect(await load(inspector)).toContain("/files/host.js");
    // Made by the drawing thread, with the layout engine.
    const graph = await fetch(new URL(`api/graph${dashboard.search}&kind=Shop`, dashboard));
    expect(await graph.text()).toMatch(/^<svg .*data-path="StockTaking"/s);
    await eventually(() => expect(readFileSync(file, "utf8")).toContain('"state":"Open"'));
    await operator.stop();

    const replay = start("replay", file, "--dashboard");
    const recorded = new URL(await replay.said(/recording: (\S+)/));
    const drawn = await fetch(new URL(`api/graph${recorded.search}&kind=Shop`, recorded));
    expect(await drawn.text()).toContain('data-path="StockTaking"');
    await replay.stop();
  });
});
