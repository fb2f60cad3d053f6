// An operator in one file: it runs in a folder that holds nothing else, with its dashboard, its viewer and the thread that draws.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Website } from "../../examples/website/src/website/website.ts";
import { startCluster, type Cluster } from "../../src/cluster/index.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { makeChart } from "../support/fake-helm.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const examples = join(import.meta.dirname, "../../examples");
/** What the example reads, as it lies beside its modules. */
const templates = ["src/website/resources/page.yaml", "src/website/resources/server.yaml"];

describe("an operator that was built", () => {
  let built: string;
  let alone: string;
  let outcome: CommandOutcome;
  beforeAll(async () => {
    built = mkdtempSync(join(tmpdir(), "xstate-operator-built-"));
    alone = mkdtempSync(join(tmpdir(), "xstate-operator-alone-"));
    outcome = await runCommand(["build", join(examples, "website/operator.ts"), "--out", built]);
    for (const name of ["operator.mjs", "src"]) {
      if (existsSync(join(built, name))) cpSync(join(built, name), join(alone, name), { recursive: true });
    }
  }, 120_000);
  afterAll(() => {
    for (const folder of [built, alone]) rmSync(folder, { recursive: true });
  });

  it("is a file, its source map, the files that it reads, and a Dockerfile", () => {
    expect(outcome.code, outcome.err).toBe(0);
    const files = ["Dockerfile", "operator.mjs", "operator.mjs.map", ...templates];
    expect([...globSync("**/*.*", { cwd: built }), "Dockerfile"].toSorted()).toEqual(files);
    expect(outcome.out).toMatch(/operator\.mjs {2}\d\.\d MB, starts in \d+ ms\n/);
    const dockerfile = readFileSync(join(built, "Dockerfile"), "utf8");
    expect(dockerfile).toContain(`COPY ["${templates[0]}","./${templates[0]}"]\n`);
    expect(dockerfile).toContain("USER 65532\n");
  });

  it("has a source map that leads to the author's lines", () => {
    const { sources } = JSON.parse(readFileSync(join(built, "operator.mjs.map"), "utf8")) as {
      sources: readonly string[];
    };
    expect(sources.some((source) => source.endsWith("examples/website/src/website/website.ts"))).toBe(true);
  });

  it("holds what few starts need as text that is not parsed", () => {
    const code = readFileSync(join(built, "operator.mjs"), "utf8");
    // Names in the layout of drawings and in the maker of certificates.
    for (const packed of ["org.eclipse.elk", "X509CertificateGenerator"])
      expect(code.includes(packed), packed).toBe(false);
  });

  describe("compiled in its image", () => {
    const wordsOf = (instruction: string): readonly string[] => {
      const dockerfile = readFileSync(join(built, "Dockerfile"), "utf8");
      const [, list = ""] = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(dockerfile) ?? [];
      return JSON.parse(list) as readonly string[];
    };
    const run = (words: readonly string[], cache: string) => {
      const [, ...args] = words.map((word) => word.replace(/^\/operator\//, `${alone}/`));
      const env = { NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
      const [, use] = /code cache for ESM \S+operator\.mjs was ([\w ]+),/.exec(stdout + stderr) ?? [];
      return { status, use };
    };

    it("starts with the code that the image keeps", () => {
      const cache = join(alone, "compiled");
      expect(run(wordsOf("RUN"), cache)).toEqual({ status: 0, use: "not initialized" });
      expect(run([...wordsOf("ENTRYPOINT"), "--version"], cache)).toEqual({ status: 0, use: "accepted" });
    });

    it("starts where nothing is kept and nothing can be", () => {
      expect(run([...wordsOf("ENTRYPOINT"), "--version"], join(alone, "operator.mjs", "compiled"))).toEqual({
        status: 0,
      });
    });
  });

  describe("and runs alone", () => {
    let cluster: Cluster;
    let client: KubeClient;
    let child: ChildProcess;
    let said = "";
    beforeAll(async () => {
      cluster = await startCluster();
      client = await clientOf(cluster.kubeconfig);
      const flags = [
        "--install-crds",
        "--metrics-bind-address",
        "127.0.0.1:0",
        "--metrics-secure",
        "--dashboard",
        "--inspect",
        "--log-format",
        "json",
      ];
      child = spawn(process.execPath, ["operator.mjs", "--kubeconfig", cluster.kubeconfig, ...flags], {
        cwd: alone,
        env: {},
        stdio: ["ignore", "ignore", "pipe"],
      });
      child.stderr?.setEncoding("utf8").on("data", (more: string) => (said += more));
    }, 60_000);
    afterAll(async () => {
      child.kill("SIGKILL");
      await client.close();
      await cluster.stop();
    });
    const addressOf = (what: RegExp): URL => {
      const [, url] = what.exec(said) ?? [];
      if (url === undefined) throw new Error(`no address in:\n${said}`);
      return new URL(url);
    };

    it("drives a resource", async () => {
      await eventually(() => client.list(Website), 60_000);
      const metadata = { name: "shop", namespace: "default" };
      await client.create(Website, {
        apiVersion: apiVersionOf(Website),
        kind: "Website",
        metadata,
        spec: {},
      });
      await eventually(async () => {
        expect((await client.get(Website, metadata)).status?.lifecycle?.state).toBe("Running");
      }, 60_000);
    }, 120_000);

    it.each([
      ["the dashboard", /dashboard: (\S+)/],
      ["the viewer", /(http:\/\/\S+viewer\S*|http:\/\/127\.0\.0\.1:\d+\/\?\S+)\n(?!.*dashboard)/],
    ])("serves the page of %s with all that it loads", async (name, pattern) => {
      const address = await eventually(() => addressOf(pattern));
      const token = address.search;
      const html = await (await fetch(address)).text();
      const wanted = [...html.matchAll(/(?:src|href)="([^"]+\.(?:ts|js|css))"/g)].map(
        ([, path = ""]) => path,
      );
      expect(wanted.length).toBeGreaterThan(3);
      const packages = [
        "packages/preact.js",
        "packages/preact/hooks.js",
        "packages/htm.js",
        "packages/htm/preact.js",
      ];
      // What those modules import from other folders.
      const shared = name === "the dashboard" ? ["explain/length.ts", "ports/run-journal.ts"] : [];
      for (const path of [...wanted, ...packages, ...shared]) {
        const { status } = await fetch(new URL(`${path}${token}`, address));
        expect({ path, status }).toEqual({ path, status: 200 });
      }
    });

    it("draws a lifecycle in a thread that begins with the same file", async () => {
      const address = addressOf(/dashboard: (\S+)/);
      const answer = await fetch(new URL(`/api/graph${address.search}&kind=Website`, address));
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("Maintenance");
    }, 60_000);

    it("serves its metrics by a certificate that it makes", async () => {
      await eventually(() => expect(said).toMatch(/"url":"https:[^"]+","msg":"metrics served"/));
    });

    it("ends in order when it is asked to", async () => {
      child.kill("SIGTERM");
      const [code] = (await once(child, "exit")) as [number | null];
      expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
    }, 60_000);
  });

  it("refuses flags that it does not have", async () => {
    const child = spawn(process.execPath, ["operator.mjs", "--embedded"], { cwd: alone, stdio: "ignore" });
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(2);
  });
});

describe("an operator that reads files", () => {
  it("by names that are not literal is told to name them", async () => {
    const folder = mkdtempSync(join(import.meta.dirname, "../../node_modules/.xstate-operator-build-"));
    try {
      writeFileSync(
        join(folder, "operator.ts"),
        `import { readFileSync } from "node:fs";
import { defineController, defineKind, defineOperator } from "xstate-operator";
import { z } from "zod";
const names = ["greeting.txt"];
const [greeting] = names.map((name) => readFileSync(new URL(name, import.meta.url), "utf8"));
const Greeting = defineKind({ group: "example.com", version: "v1", kind: "Greeting", spec: z.object({}), description: greeting });
export default defineOperator({ name: "greeting-operator", controllers: [defineController(Greeting, {})] });
`,
      );
      writeFileSync(join(folder, "greeting.txt"), "hello");
      const build = (...more: readonly string[]) =>
        runCommand(["build", folder, "--out", join(folder, "dist"), ...more]);
      const failed = await build();
      expect(failed.code).toBe(1);
      expect(failed.err).toContain("--include");
      const { code, err } = await build("--include", "greeting.txt");
      expect({ code, err: err.replaceAll(/building .*\n|built .*\n/g, "") }).toEqual({ code: 0, err: "" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});

it("is not built of an operator that imports what is not there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "xstate-operator-build-"));
  const file = join(folder, "operator.ts");
  writeFileSync(file, `import nothing from "nothing-of-that-name";\nexport default nothing;\n`);
  const { bundleOperator } = await import("../../src/cli/build/bundle-operator.ts");
  await expect(bundleOperator(file, join(folder, "operator.mjs"))).rejects.toThrow(
    /cannot be built: Could not resolve 'nothing-of-that-name' in \S+operator\.ts$/,
  );
  rmSync(folder, { recursive: true });
});

it("is built of an operator without code, with the files that it names, and starts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "xstate-operator-build-"));
  const written = readFileSync(join(examples, "redis/operator.yaml"), "utf8");
  const file = join(folder, "operator.yaml");
  const children =
    "      - file: more.yaml\n      - chart: { path: chart, types: [{ apiVersion: v1, kind: Secret }] }\n";
  writeFileSync(file, written.replace("    children:\n", `    children:\n${children}`));
  makeChart(join(folder, "chart"), { "secret.yaml": "apiVersion: v1\n" });
  const more = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: '${ metadata.name }-more' }\n";
  writeFileSync(join(folder, "more.yaml"), more);
  const { code, err, out } = await runCommand(["build", file, "--out", join(folder, "dist")]);
  expect(code, err).toBe(0);
  expect(out).toMatch(/operator\.mjs {2}\d\.\d MB, starts in \d+ ms\n/);
  expect(readFileSync(join(folder, "dist/more.yaml"), "utf8")).toBe(more);
  expect(readFileSync(join(folder, "dist/chart/templates/secret.yaml"), "utf8")).toBe("apiVersion: v1\n");
  const dockerfile = readFileSync(join(folder, "dist/Dockerfile"), "utf8");
  expect(dockerfile).toContain('COPY ["operator.yaml","./operator.yaml"]');
  expect(dockerfile).toMatch(
    /^COPY --from=docker\.io\/alpine\/helm:\S+ \/usr\/bin\/helm \/usr\/local\/bin\/helm$/m,
  );
  rmSync(folder, { recursive: true });
});
