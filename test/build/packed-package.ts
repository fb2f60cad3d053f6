// The package as `npm pack` makes it, unpacked in a folder that has its dependencies, but nothing else of this repository.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A folder in which the package is installed. */
export interface PackedPackage {
  readonly folder: string;
  /** What npm has packed. */
  readonly tarball: string;
  /** The files in the package. */
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Installs the optional packages that were left out. */
  linkOptional(): void;
  remove(): void;
}

/** Packs a copy of this checkout, and installs it with these other packages; optional ones as npm does, or left out. */
export function packPackage(others: readonly string[], { withOptional = true } = {}): PackedPackage {
  const folder = mkdtempSync(join(tmpdir(), "xstate-operator-packed-"));
  const checkout = join(folder, "checkout");
  const configs = ["tsconfig.json", "tsconfig.browser.json", "tsconfig.build.json"];
  const files = ["package.json", "README.md", "LICENSE", "CHANGELOG.md", ...configs];
  for (const input of ["src", "machines", "build", "bin", ...files]) {
    cpSync(join(root, input), join(checkout, input), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  const before = readFileSync(join(checkout, "package.json"), "utf8");
  // As under no other npm, whose settings would be this one's.
  const { PATH = "", HOME = folder } = process.env;
  const env = { PATH: `${dirname(process.execPath)}:${PATH}`, HOME };
  const packed = spawnSync("npm", ["pack", "--json"], { cwd: checkout, encoding: "utf8", env });
  if (packed.status !== 0) throw new Error(`npm pack: ${packed.stderr}`);
  if (readFileSync(join(checkout, "package.json"), "utf8") !== before)
    throw new Error("package.json is changed");
  const modules = join(folder, "project", "node_modules");
  mkdirSync(modules, { recursive: true });
  const tarball = join(checkout, "xstate-operator-0.1.0.tgz");
  const unpacked = spawnSync("tar", ["xzf", tarball, "-C", modules], { encoding: "utf8" });
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
  cpSync(join(modules, "package"), join(modules, "xstate-operator"), { recursive: true });
  rmSync(join(modules, "package"), { recursive: true });
  const listed = spawnSync("tar", ["tzf", tarball], { encoding: "utf8" });
  const manifest = JSON.parse(
    readFileSync(join(modules, "xstate-operator", "package.json"), "utf8"),
  ) as Readonly<Record<string, unknown>>;
  const link = (names: readonly string[]): void => {
    for (const name of names) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
  };
  link([...Object.keys(manifest["dependencies"] as object), ...others]);
  const optional = Object.keys(manifest["optionalDependencies"] as object);
  if (withOptional) link(optional);
  return {
    folder: join(folder, "project"),
    tarball,
    files: listed.stdout
      .trim()
      .split("\n")
      .map((file) => file.slice("package/".length)),
    manifest,
    linkOptional: () => link(optional),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
