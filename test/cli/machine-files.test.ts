// `graph` and `check` of machines that are data: alone, and through the module that reads them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { columnsOf } from "../../src/cli/wrap-line.ts";
import { runCommand } from "./run-in-process.ts";

const root = new URL("../../", import.meta.url).pathname;
mkdirSync(join(root, ".tmp"), { recursive: true });
// Inside the repository, where modules find the package.
const folder = mkdtempSync(join(root, ".tmp", "machine-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

const yaml = `id: shop
version: "1"
initial: Start
states:
  Start:
    on: { observed.Open: { target: Open, guard: isQuiet } }
    after: { patience: Open }
  Open:
    tags: stabel
    on: { desired.End: End }
  End: { type: final }
`;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function moduleReading(name: string, names: string): string {
  return file(
    `${name.replace(/\W/g, "-")}-${names.length}.ts`,
    `import { readMachine, setupLifecycle } from "xstate-operator";
export const shop = readMachine(new URL("./${name}", import.meta.url), setupLifecycle(${names}));
`,
  );
}

describe("a machine's file", () => {
  const path = file("shop.yaml", yaml);
  const withNames = moduleReading(
    "shop.yaml",
    '{ guards: { isQuiet: () => true }, delays: { patience: "5m" } }',
  );

  it("is drawn as the module that reads it, from standard input too, and with the edges of the library", async () => {
    const drawn = await runCommand(["graph", withNames]);
    expect(drawn).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("Start --> Open : after patience") as string,
    });
    expect(await runCommand(["graph", path])).toEqual(drawn);
    expect(await runCommand(["graph", "-"], {}, { input: yaml })).toEqual(drawn);
    const complete = await runCommand(["graph", path, "--complete", "--output", "json"]);
    expect(complete.out).toContain("lifecycle.intervene");
    const again = file("again.json", (await runCommand(["graph", path, "--output", "json"])).out);
    expect((await runCommand(["graph", again])).out).toContain("Start --> Open : observed.Open");
  });

  it("is checked alone, and with its module, with the same places", async () => {
    const alone = await runCommand(["check", path]);
    const withModule = await runCommand(["check", withNames]);
    for (const { code, out } of [alone, withModule]) {
      expect(code).toBe(0);
      expect(out).toMatch(/shop\.yaml:9:5: warning TAG_MISSPELT \(shop: Open\)/);
      expect(out).toContain("begins in Start; its default target is Open");
    }
  });

  it.each([60, 80, 200])("is reported on no more than the columns of the screen: %d", async (columns) => {
    const { out } = await runCommand(["check", path], {}, { screen: { columns, rows: 24 } });
    for (const line of out.split("\n")) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    expect(out).toContain("MAY BE DESIRED".slice(0, columns > 70 ? 14 : 0));
    expect(out.replaceAll(/\s+/g, " ")).toMatch(/Open:? +stable.*only desired.End leads out of it/);
  });

  it("is refused with the place of each mistake, by the module too, which it keeps from being loaded", async () => {
    const wrong = file("wrong.yaml", readFileSync(path, "utf8").replace("target: Open", "target: Opne"));
    const byModule = await runCommand(["check", moduleReading("wrong.yaml", "{}")]);
    const unknown = await runCommand(["check", moduleReading("shop.yaml", "{ effects: [] }")]);
    const alone = await runCommand(["check", wrong]);
    for (const { code, out } of [alone, byModule]) {
      expect(code).toBe(1);
      expect(out).toMatch(
        /wrong\.yaml:6:11: error STATE_UNKNOWN \(shop: Start\)\n.*"Opne"[\s\S]*Did you mean Open\?/,
      );
    }
    expect(unknown.out).toMatch(/shop\.yaml:6:11: error GUARD_UNKNOWN/);
    expect(unknown.out).toMatch(/shop\.yaml:7:14: error DELAY_UNKNOWN/);
    expect(await runCommand(["graph", wrong])).toMatchObject({
      code: 1,
      err: expect.stringContaining("wrong.yaml:6:11: Start leads to") as string,
    });
    const twice = file("twice.yaml", `${yaml}  Open: {}\n`);
    expect((await runCommand(["graph", twice])).err).toContain(
      'twice.yaml:12:3: "Open" is written a second time',
    );
  });
});
