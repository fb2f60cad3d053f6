// From the packed package to a first project, in an empty folder: what is said to strangers holds.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { packPackage, type PackedPackage } from "./packed-package.ts";

let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage(["zod", "typescript", "@types/node"]);
}, 240_000);
afterAll(() => packed.remove());

describe("the published package", () => {
  it("has a manifest without scripts, development packages and conditions for this repository", () => {
    const { scripts, devDependencies, allowScripts, exports } = packed.manifest;
    expect({ scripts, devDependencies, allowScripts }).toEqual({});
    expect(JSON.stringify(exports)).not.toContain("./src/");
  });

  it("has every file that an entry names, and no other than compiled code and what that reads", () => {
    const { exports, bin } = packed.manifest as {
      readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
      readonly bin: Readonly<Record<string, string>>;
    };
    const named = [...Object.values(exports).flatMap((entry) => Object.values(entry)), ...Object.values(bin)];
    expect(packed.files).toEqual(expect.arrayContaining(named.map((file) => file.replace(/^\.\//, ""))));
    const others = packed.files.filter(
      (file) => !/^dist\/(src|machines)\/.*\.(d\.ts|js|js\.map)$/.test(file),
    );
    expect(others.toSorted()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin/xstate-operator.js",
      "dist/src/dashboard/browser/dashboard.css",
      "dist/src/inspect/browser/inspector.css",
      "dist/src/scaffold/dictionary.yaml",
      "dist/src/web/browser/drawing-frame.css",
      "dist/src/web/browser/page.css",
      "package.json",
    ]);
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
    for (const line of said.split("\n").filter((each) => each.startsWith("  import {"))) {
      expect(guide.get("controller.ts")).toContain(line.trim());
    }
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
});
