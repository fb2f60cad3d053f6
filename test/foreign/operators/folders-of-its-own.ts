// Folders at places that a program has been built with, such as that of the account which a kubelet mounts: it is given mounts of its own.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";

/** Arguments of `unshare`, before those of the program, with which it finds a folder at another place. */
export function withFolderAt(place: string, folder: string): readonly string[] {
  // Nothing is left in the machine's own /run.
  const script = `case "$1" in /var/run/*) mount -t tmpfs tmpfs /run;; esac
mkdir -p "$1" "$2" && mount --bind "$2" "$1" && shift 2 && exec "$@"`;
  return ["--mount", "sh", "-c", script, "sh", place, folder];
}

/** Arguments of `unshare`, before those of a program that looks for its account nowhere but where a kubelet puts it. */
export function inCluster(kubeconfig: string, namespace: string): readonly string[] {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const {
    server = "",
    "certificate-authority-data": authority,
    "certificate-authority": file,
  } = clusters[0]!.cluster;
  const folder = join(dirname(kubeconfig), "account");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "token"), users[0]!.user.token);
  writeFileSync(join(folder, "namespace"), namespace);
  writeFileSync(
    join(folder, "ca.crt"),
    authority === undefined ? readFileSync(file ?? "") : Buffer.from(authority, "base64"),
  );
  const { hostname, port } = new URL(server);
  return [
    ...withFolderAt("/var/run/secrets/kubernetes.io/serviceaccount", folder),
    "env",
    `KUBERNETES_SERVICE_HOST=${hostname}`,
    `KUBERNETES_SERVICE_PORT=${port}`,
  ];
}
