// What npm runs when this package is installed from a folder or from git: builds what `import "xstate-operator"` resolves to,
// so that nobody meets a package without its modules. In syntax that any Node parses; the compiler comes with `npm ci`.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isOwnInstall = resolve(process.env.INIT_CWD ?? root) === root;

// A checkout runs its sources; who sets one up need not wait for a build.
if (isOwnInstall && process.env.npm_command === "ci") process.exit(0);

const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
if (!existsSync(compiler)) {
  console.error(
    `xstate-operator is not built, and its compiler is not installed.\nRun this first: cd ${root} && npm ci && npm run build`,
  );
  process.exit(isOwnInstall ? 0 : 1);
}

// Else what an earlier version was made of would be part of the package.
rmSync(join(root, "dist"), { recursive: true, force: true });
for (const args of [
  [compiler, "-p", "tsconfig.build.json", "--noCheck"],
  ["--disable-warning=ExperimentalWarning", "build/bundle.ts"],
  ["--disable-warning=ExperimentalWarning", "build/other-files.ts"],
]) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
