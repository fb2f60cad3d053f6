// The kubeconfig file that lets kubectl and clients into an embedded cluster.
import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { stringify } from "yaml";
import { OperatorError } from "../ports/operator-error.ts";
import { remedyInFolder, whyOf } from "./make-folder.ts";

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
  const name = "xstate-operator";
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, ...trust } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name, context: { cluster: name, user, namespace } }],
    "current-context": name,
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
