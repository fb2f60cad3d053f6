// Keeps the credentials of one connection current: what stands in files is read again every minute and after a 401, so
// that rotated tokens and certificates are used without a restart.
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Authentication, Connection, TlsOptions } from "./connection.ts";

/** Reads a text file. */
export type ReadFile = (path: string) => Promise<string>;

/** What is read to make an {@link Authentication}. */
export type ReadAuthentication = (refresh: boolean) => Promise<Authentication>;

/** Rotated files are seen at the latest after this long; kubelets rotate tokens many minutes before they expire. */
const rereadAfter = 60_000;

/**
 * Remembers what `read` returned for a minute (or for ever when it is `constant`); reads once for all that ask meanwhile.
 *
 * **Guarantees**: `tls` is the same object as long as its contents are. When a read in between fails, the last
 * credentials go on being used.
 */
export function createCredentials(
  read: ReadAuthentication,
  { constant }: { readonly constant: boolean },
): Connection["authenticate"] {
  let last: { readonly at: number; readonly authentication: Authentication } | undefined;
  let reading: Promise<Authentication> | undefined;

  async function readAgain(now: number, refresh: boolean): Promise<Authentication> {
    try {
      const next = await read(refresh);
      const before = last?.authentication;
      const tls = before !== undefined && isSameTls(before.tls, next.tls) ? before.tls : next.tls;
      last = { at: now, authentication: { headers: next.headers, tls } };
      return last.authentication;
    } catch (error) {
      if (last === undefined || refresh) throw error;
      last = { at: now, authentication: last.authentication };
      return last.authentication;
    } finally {
      reading = undefined;
    }
  }

  return (now, refused) => {
    const current = last?.authentication;
    const isRefused = current !== undefined && current === refused;
    const isFresh = last !== undefined && now - last.at < rereadAfter;
    if (current !== undefined && (constant || (isFresh && !isRefused))) return Promise.resolve(current);
    return (reading ??= readAgain(now, isRefused));
  };
}

/** A file named by a kubeconfig. Errors: `KUBECONFIG_FILE_UNREADABLE`. */
export async function readNamedFile(readFile: ReadFile, path: string, what: string): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new OperatorError("KUBECONFIG_FILE_UNREADABLE", `${what} cannot be read: ${messageOf(error)}`, {
      cause: error,
      fields: { file: path },
      remedy: "Correct the path, or make the file readable.",
    });
  }
}

function isSameTls(one: TlsOptions, other: TlsOptions): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof TlsOptions>;
  return [...names].every((name) => one[name] === other[name]);
}
