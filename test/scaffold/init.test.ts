import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectPackages } from "../../src/scaffold/project-files.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = (file: string): string => readFileSync(join(folder, file), "utf8");
const files = (under = ""): readonly string[] => globSync("**/*.*", { cwd: join(folder, under) }).toSorted();
const flags = ["--kind", "Memcached", "--group", "cache.example.com", "--version", "v1alpha1"];

function run(args: readonly string[], answers?: readonly (string | undefined)[]): Promise<CommandOutcome> {
  return runCommand(args, {}, { folder, ...(answers === undefined ? {} : { answers }) });
}

describe("init", () => {
  it("takes its answers from flags", async () => {
    const { code, out, err } = await run(["init", "memcached-operator", ...flags]);
    expect({ code, lines: out.split("\n")[0] }).toEqual({
      code: 0,
      lines: "written memcached-operator/package.json",
    });
    expect(err).toBe("Next:\n  cd memcached-operator\n  npm install\n  npm test\n  npm start\n");
    expect(text("memcached-operator/src/memcached/memcached.ts")).toContain('version: "v1alpha1"');
    expect(text("memcached-operator/operator.ts")).toContain('name: "memcached-operator"');
  });

  it("asks a person, once more where an answer cannot be used, and takes what is usual for an empty one", async () => {
    const { code, err } = await run(["init", "cache"], ["", "memcached", "Memcached", "example", "", ""]);
    expect(code).toBe(0);
    expect(err).toContain("Name of the operator (cache): \nKind (Cache): \n");
    expect(err).toContain('"memcached" cannot be used.\n  Write a word in PascalCase');
    expect(err).toContain('"example" cannot be used.\n  Write a DNS name with a dot');
    expect(text("cache/src/memcached/memcached.ts")).toContain('group: "cache.example.com"');
  });

  it("asks a person nothing when flags answer", async () => {
    const { code, err } = await run(["init", "cache", ...flags], []);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Next:/) as string });
    expect(text("cache/operator.ts")).toContain('name: "cache"');
  });

  it("takes what is usual for everything with --yes", async () => {
    expect((await run(["init", "hot-cache-operator", "--yes"])).code).toBe(0);
    expect(text("hot-cache-operator/src/hot-cache/hot-cache.ts")).toContain(
      'group: "hot-cache.example.com",\n  version: "v1alpha1",\n  kind: "HotCache"',
    );
  });

  it("writes nothing when the person leaves", async () => {
    const { code, err } = await run(["init", "cache"], ["", undefined]);
    expect(code).toBe(130);
    expect(err).toContain("nothing was written");
    expect(files()).toEqual([]);
  });

  it.each([
    [["init", "cache"], "--kind is missing, and there is no terminal", 2],
    [["init", "cache", ...flags, "--kind", "memcached"], 'the kind cannot be "memcached"', 1],
    [["init", "cache", ...flags, "--kind", "Deployment"], 'code of each kind imports a "Deployment"', 1],
    [["init", "cache", ...flags, "--group", "UPPER.example.com"], "Write a DNS name with a dot", 1],
    [["init", "cache", ...flags, "--version", "1"], "Write v1, v1beta1, v1alpha1", 1],
    [["init", "cache", ...flags, "--name", "A_b"], "Write a DNS label", 1],
  ])("says what is expected: %j", async (args, message, code) => {
    const outcome = await run(args);
    expect(outcome.err).toContain(message);
    expect(outcome.code).toBe(code);
    expect(files()).toEqual([]);
  });

  it("leaves a folder alone that is not empty, except for a repository", async () => {
    mkdirSync(join(folder, "cache/.git"), { recursive: true });
    writeFileSync(join(folder, "cache/notes.txt"), "mine");
    writeFileSync(join(folder, "file.txt"), "mine");
    const refused = await run(["init", "cache", ...flags]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("is not empty: it has notes.txt");
    expect((await run(["init", "file.txt", ...flags])).err).toContain("is a file");
    expect(files()).toEqual(["cache/notes.txt", "file.txt"]);
    rmSync(join(folder, "cache/notes.txt"));
    expect((await run(["init", "cache", ...flags])).code).toBe(0);
    expect((await run(["init", "cache", ...flags])).err).toContain("create api");
  });

  it("uses the packages that this repository is tested with", () => {
    const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const used = { ...projectPackages.dependencies, ...projectPackages.devDependencies };
    for (const [name, range] of Object.entries(used)) expect(range).toBe(`^${devDependencies[name]}`);
  });
});

describe("create api", () => {
  const create = (...args: readonly string[]): Promise<CommandOutcome> =>
    runCommand(["create", "api", ...args], {}, { folder: join(folder, "cache") });
  beforeEach(async () => {
    await run(["init", "cache", ...flags]);
  });

  it("adds a second and a third kind to the operator", async () => {
    const { code, out } = await create(
      "--kind",
      "BackupPlan",
      "--group",
      "cache.example.com",
      "--version",
      "v1",
    );
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("updated operator.ts") as string });
    expect((await create("--kind", "Class", "--yes")).code).toBe(0);
    expect(text("cache/operator.ts"))
      .toContain(`import { memcachedController } from "./src/memcached/controller.ts";
import { backupPlanController } from "./src/backup-plan/controller.ts";
import { classObjectController } from "./src/class/controller.ts";
`);
    expect(text("cache/operator.ts")).toContain(`    memcachedController,
    backupPlanController,
    classObjectController,
`);
    expect(files("cache")).toContain("test/backup-plan.test.ts");
    // Their Deployments are called as they are.
    const samples = files("cache").filter((file) => file.startsWith("samples/"));
    const names = samples.map((file) => /name: (\S+)/.exec(text(join("cache", file)))?.[1]);
    expect(new Set(names).size).toBe(3);
  });

  it("overwrites nothing", async () => {
    const before = new Map(files("cache").map((file) => [file, text(join("cache", file))]));
    const { code, err } = await create(...flags);
    expect(code).toBe(1);
    expect(err).toMatch(
      /memcached\.ts, .*memcached-lifecycle\.ts, .* are there already; nothing was written/,
    );
    for (const [file, old] of before) expect(text(join("cache", file))).toBe(old);
    expect(files("cache")).toEqual([...before.keys()]);
  });

  it("says which lines to add where the author has taken its marks out", async () => {
    writeFileSync(join(folder, "cache/operator.ts"), "// mine\n");
    const { code, err } = await create("--kind", "Backup", "--yes");
    expect(code).toBe(0);
    expect(err).toContain('import { backupController } from "./src/backup/controller.ts";');
    expect(text("cache/operator.ts")).toBe("// mine\n");
  });

  it("is refused outside of a project", async () => {
    const { code, err } = await run(["create", "api", ...flags]);
    expect(code).toBe(1);
    expect(err).toContain("has no operator.ts and package.json");
  });
});
