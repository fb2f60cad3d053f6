// An example looks like a new project: whoever has seen one finds their way in the other.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../examples");
const operators = globSync("**/operator.ts", { cwd: root });

describe.each(operators.map((file) => file.replace(/\/operator\.ts$/, "")))("the example %s", (example) => {
  const files = globSync("**/*.*", { cwd: join(root, example) });
  const controllers = files.filter((file) => /^src\/[^/]+\/controller\.ts$/.test(file));

  it("has a folder and a sample for each kind, as `init` makes it", () => {
    expect(controllers).not.toEqual([]);
    for (const controller of controllers) {
      const kind = basename(join(controller, ".."));
      expect(files).toEqual(expect.arrayContaining([`src/${kind}/${kind}.ts`, `samples/${kind}.yaml`]));
    }
    expect(files).toContain("README.md");
  });

  it("has nothing in places where a new project has nothing", () => {
    const places = [
      /^README\.md$/,
      /^operator\.(ts|yaml)$/,
      /^samples\/[a-z-]+\.yaml$/,
      /^src\/[a-z-]+\/(resources\/)?[a-z-]+\.(ts|yaml)$/,
    ];
    expect(files.filter((file) => !places.some((place) => place.test(file)))).toEqual([]);
  });

  it("has an operator that does nothing but join its controllers", () => {
    const text = readFileSync(join(root, example, "operator.ts"), "utf8");
    expect(text).toContain("export default ");
    expect(text).not.toMatch(/define(?:Kind|Controller)|setupLifecycle/);
  });
});
