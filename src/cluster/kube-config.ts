// The kubeconfig file that lets kubectl and clients into an embedded cluster.
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "yaml";
import { OperatorError } from "../ports/operator-error.ts";
import { remedyInFolder, whyOf } from "./make-folder.ts";

/** The name of cluster and context in a kubeconfig. */
const ownName = "xstate-operator";

/** What a kubeconfig says about one user of one cluster. */
export interface KubeConfigEntry {
  readonly url: string;
  /** PEM text of the authority that signed the server's certificate. */
  readonly authority: string;
  readonly user: string;
  readonly token: string;
}

/** What stands in a kubeconfig of one cluster. */
export interface KubeConfigParts {
  readonly url: string;
  /** Whom to trust: `certificate-authority` or `certificate-authority-data`. */
  readonly trust: Readonly<Record<string, string>>;
  readonly user: string;
  /** How the user is known: `token` or `tokenFile`. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly namespace: string;
}

/** The text of a kubeconfig. */
export function kubeConfigText({ url, trust, user, credentials, namespace }: KubeConfigParts): string {
  const name = ownName;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, ...trust } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name, context: { cluster: name, user, namespace } }],
    "current-context": name,
  });
}

/**
 * Refuses a path at which something else is than the kubeconfig of an embedded cluster, or that of one that runs: it would be overwritten.
 *
 * **Errors**: `FILE_NOT_OURS`.
 */
export async function refuseOthersKubeConfig(path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw notOurs(path, whyOf(error), error);
  });
  if (text === undefined || text === "") return;
  let clusters: readonly KnownCluster[];
  let isOurs: boolean;
  try {
    ({ clusters } = parse(text) as { readonly clusters: readonly KnownCluster[] });
    isOurs = isDeepStrictEqual(
      clusters.map(({ name }) => name),
      [ownName],
    );
  } catch (error) {
    throw notOurs(path, "it is no kubeconfig", error);
  }
  if (!isOurs) throw notOurs(path, "it has other clusters");
  const { server = "", "certificate-authority-data": authority = "" } = clusters[0]?.cluster ?? {};
  if (await isAnswered(server, authority)) {
    throw notOurs(path, `the cluster that it leads to is running at ${server}`);
  }
}

interface KnownCluster {
  readonly name: unknown;
  readonly cluster?: { readonly server?: string; readonly "certificate-authority-data"?: string };
}

/** Whether somebody answers there whose certificate the authority has signed: each cluster has one of its own. */
function isAnswered(server: string, authority: string): Promise<boolean> {
  const { hostname, port } = URL.parse(server) ?? {};
  if (hostname === undefined || authority === "") return Promise.resolve(false);
  const ca = Buffer.from(authority, "base64").toString();
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), ca, timeout: 2_000 });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("secureConnect", () => settle(true));
    socket.once("error", () => settle(false));
    socket.once("timeout", () => settle(false));
  });
}

function notOurs(path: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError("FILE_NOT_OURS", `${path} is not overwritten: ${why}`, {
    cause,
    fields: { path },
    remedy: `Name a file that is not there yet; kubectl reads several with KUBECONFIG=${path}:OTHER.`,
  });
}

/** Writes the file, readable by its owner only. Errors: `FILE_NOT_WRITTEN`. */
export async function writeKubeConfig(path: string, entry: KubeConfigEntry): Promise<void> {
  const { url, authority, user, token } = entry;
  const text = kubeConfigText({
    url,
    trust: { "certificate-authority-data": Buffer.from(authority).toString("base64") },
    user,
    credentials: { token },
    namespace: "default",
  });
  // Under another name first: a file that is there may be readable by others, be a link, or be read at this moment.
  const fresh = `${path}.${randomUUID()}`;
  try {
    await writeFile(fresh, text, { mode: 0o600, flag: "wx" });
    await rename(fresh, path);
  } catch (error) {
    throw new OperatorError("FILE_NOT_WRITTEN", `the kubeconfig ${path} cannot be written: ${whyOf(error)}`, {
      cause: error,
      fields: { path },
      remedy: remedyInFolder(error),
    });
  } finally {
    await rm(fresh, { force: true });
  }
}
