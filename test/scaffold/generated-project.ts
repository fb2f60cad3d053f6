// A folder of the repository with generated files, where they find the package as an author's project does.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A project that is removed after the test. */
export interface GeneratedProject {
  readonly folder: string;
  write(file: string, text: string): void;
  /** What the compiler says about it, with the settings of this repository. */
  typeErrors(): readonly string[];
  remove(): void;
}

/** Makes an empty one. */
export function generatedProject(): GeneratedProject {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp", "generated-"));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  return {
    folder,
    write,
    typeErrors() {
      write("tsconfig.json", JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["**/*.ts"] }));
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", folder], {
        cwd: folder,
        encoding: "utf8",
      });
      const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
      // A compiler that has not run finds nothing either.
      if ((status === 0) !== (errors.length === 0))
        throw new Error(`the compiler ended with ${status}: ${stdout}${stderr}`);
      return errors;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
