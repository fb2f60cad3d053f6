// Packages that an installation may leave out (`npm ci --omit=optional`): only parts that few operators run need them.
import { messageOf, OperatorError } from "./operator-error.ts";

/**
 * Loads what needs optional packages; `purpose` begins the sentence of the error, as "the dashboard".
 *
 * **Errors**: `PACKAGE_MISSING` in place of Node's, with the package and how to install it.
 */
export async function loadOptional<Loaded>(purpose: string, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(purpose, error) ?? error;
  }
}

/** Checks that packages are there which are read later. Errors: `PACKAGE_MISSING`. */
export function requirePackages(purpose: string, names: readonly string[]): void {
  for (const name of names) {
    try {
      import.meta.resolve(name);
    } catch (error) {
      throw missingPackage(purpose, error) ?? error;
    }
  }
}

function missingPackage(purpose: string, error: unknown): OperatorError | undefined {
  if ((error as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const [, name] =
    /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec(messageOf(error)) ?? [];
  if (name === undefined) return undefined;
  return new OperatorError(
    "PACKAGE_MISSING",
    `${purpose} needs the package ${name}, which is not installed`,
    {
      cause: error,
      remedy: `Install it: npm install ${name}. It is an optional dependency of xstate-operator, which npm leaves out with --omit=optional.`,
    },
  );
}
