// What npm runs for those who set up a checkout or install the package: nothing that the newest npm would warn of.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));
const { packages } = read("package-lock.json") as {
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly hasInstallScript?: true }>>;
};
/** Names of packages that run a script of their own when they are installed, on any platform. */
const scripted = Object.entries(packages).flatMap(([path, { dev = false, hasInstallScript = false }]) =>
  path !== "" && hasInstallScript ? [{ name: path.replace(/^.*node_modules\//, ""), dev }] : [],
);

describe("an installation", () => {
  it("of the package runs no scripts", () => {
    expect(scripted.filter(({ dev }) => !dev)).toEqual([]);
  });

  it("of a checkout runs those that are allowed by name, whatever the platform", () => {
    const { allowScripts } = read("package.json") as {
      readonly allowScripts: Readonly<Record<string, true>>;
    };
    expect(scripted.map(({ name }) => name).toSorted()).toEqual(Object.keys(allowScripts).toSorted());
  });
});
