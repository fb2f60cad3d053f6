// How clients in a container find the API server. The files of the pod's account are not where clients with a file system of their own look
// for them, so a kubeconfig says where they are: most clients follow the variable KUBECONFIG before they look for a pod's account.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { kubeConfigText } from "../../kube-config.ts";
import { replaceFile } from "./confined-folder.ts";
import type { ProcessOwner } from "./folder-owner.ts";
import type { MountPath } from "./mount-paths.ts";

const accountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What {@link accountAccess} needs. */
export interface AccountAccessOptions {
  readonly pod: Pod;
  /** Where the API server is. */
  readonly url: string;
  readonly mounts: readonly MountPath[];
  /** The container's home, in which the kubeconfig is written. */
  readonly home: string;
  readonly owner: ProcessOwner;
}

/** The variables that lead clients to the account whose token the container has mounted; none where it has none. */
export async function accountAccess(options: AccountAccessOptions): Promise<Record<string, string>> {
  const { pod, url, mounts, home, owner } = options;
  const folder = mounts.find(({ path }) => path.replace(/\/+$/, "") === accountPath)?.target;
  if (folder === undefined) return {};
  const [token, authority] = [join(folder, "token"), join(folder, "ca.crt")];
  if (!(await isThere(token)) || !(await isThere(authority))) return {};
  const { namespace } = pod.metadata;
  const text = kubeConfigText({
    url,
    trust: { "certificate-authority": authority },
    user: `system:serviceaccount:${namespace}:${pod.spec.serviceAccountName ?? "default"}`,
    credentials: { tokenFile: token },
    namespace,
  });
  await replaceFile(home, ".kube/config", text, { what: "the kubeconfig", owner, mode: 0o600 });
  return { KUBECONFIG: join(home, ".kube", "config") };
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // Nothing is there.
    return false;
  }
}
