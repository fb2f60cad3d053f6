// The files of a chart or a kustomization: where they are, and a digest of all of them.
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OperatorError } from "../ports/operator-error.ts";

/** What was read of the files. */
export interface SourceDigest {
  readonly digest: string;
  /** Whether two renderings of the same may differ, as far as its files show. */
  readonly mayVary: boolean;
}

/** Functions of templates that say something else each time. */
const varying =
  /\b(?:rand(?:Alpha|Numeric|Ascii|AlphaNum|Bytes|Int)|gen(?:PrivateKey|CA|CAWithKey|SelfSignedCert|SelfSignedCertWithKey|SignedCert|SignedCertWithKey)|uuidv4|now|ago|shuffle|bcrypt|htpasswd|encryptAES)\b/;

/** The path of a source. Errors: `CHART_MISSING`. */
export function sourcePath(source: string | URL, files: readonly string[], what: string): string {
  const path = typeof source === "string" ? source : fileURLToPath(source);
  const found = statSync(path, { throwIfNoEntry: false });
  const isRight =
    found?.isFile() === true ||
    files.some((file) => statSync(join(path, file), { throwIfNoEntry: false }) !== undefined);
  if (isRight) return path.replace(/\/+$/, "");
  throw new OperatorError(
    "CHART_MISSING",
    found === undefined ? `there is no ${what} ${path}` : `${path} is no ${what}`,
    {
      fields: { path },
      remedy: `Name the folder that has ${files[0] ?? "it"}; beside a module it is new URL("./…/", import.meta.url).`,
    },
  );
}

/** The files below a source, or the source itself where it is one file. */
export function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .toSorted();
}

/** The digest of the files below a source. */
export async function digestOf(path: string): Promise<SourceDigest> {
  const hash = createHash("sha256");
  let mayVary = false;
  for (const file of filesOf(path)) {
    const content = await readFile(file);
    hash.update(`${file.slice(path.length)}\0${content.length}\0`).update(content);
    // What is packed is not looked into.
    mayVary ||=
      file.endsWith(".tgz") || (/\/templates\//.test(file) && varying.test(content.toString("utf8")));
  }
  return { digest: hash.digest("hex"), mayVary };
}
