// Finds the API server to talk to: a kubeconfig named explicitly, KUBECONFIG, ~/.kube/config, or the pod's service account.
import { readFile as readFileThen } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Connection } from "./connection.ts";
import { createCredentials, type ReadFile } from "./credentials.ts";
import { isConstant, readFileCredentials } from "./file-credentials.ts";
import {
  mergeKubeConfigs,
  parseKubeConfig,
  type ClusterEntry,
  type KubeConfigFile,
} from "./kube-config-file.ts";
import { createPluginReader, hasPlugin } from "./plugin-credentials.ts";
import { checkedProxy, proxyFor } from "./proxy.ts";
import { isInCluster, loadServiceAccount, type Environment } from "./service-account.ts";

/** That of `node:fs/promises` loads what reads lines of a terminal along with it. */
const readTextFile = promisify(readFileThen);

/** Options of {@link loadConnection}. */
export interface LoadConnectionOptions {
  /** A kubeconfig file; default: those of `KUBECONFIG`, else `~/.kube/config`, else the pod's service account. */
  readonly path?: string | undefined;
  /** Name of the context; default the file's current one. */
  readonly context?: string | undefined;
  /** True: only the pod's service account; false: never. Default: in a pod, unless a kubeconfig is named. */
  readonly inCluster?: boolean | undefined;
  /** Where `KUBECONFIG`, `HOME`, proxies and a pod's service account are looked up: `process.env`. */
  readonly env: Environment;
  /** Reads a text file; default from the disk. */
  readonly readFile?: (path: string) => Promise<string>;
}

/**
 * The connection that a command line tool or an operator should use.
 *
 * **Errors**: `KUBECONFIG_MISSING`, `KUBECONFIG_INVALID`, `KUBECONFIG_CONTEXT_UNKNOWN`, `KUBECONFIG_CLUSTER_UNKNOWN`,
 * `KUBECONFIG_USER_UNKNOWN`, `KUBECONFIG_FILE_UNREADABLE`, `IN_CLUSTER_MISSING`, `PROXY_INVALID`. The server itself is not asked yet.
 */
export async function loadConnection(options: LoadConnectionOptions): Promise<Connection> {
  const { env, path, inCluster, readFile = (file) => readTextFile(file, "utf8") } = options;
  if (inCluster === true) return loadServiceAccount(env, readFile);
  const candidates = path === undefined ? defaultPaths(env) : [path];
  const found = await readKubeConfigs(candidates, readFile);
  if (found.length > 0)
    return connect(mergeKubeConfigs(found), candidates.join(delimiter), options, readFile);
  const explicit = path !== undefined || (env["KUBECONFIG"] ?? "") !== "";
  if (!explicit && inCluster === undefined && isInCluster(env)) return loadServiceAccount(env, readFile);
  throw new OperatorError(
    "KUBECONFIG_MISSING",
    `there is no kubeconfig at ${candidates.join(", ") || "~/.kube/config (HOME is not set)"}`,
    {
      fields: { candidates },
      remedy:
        "Name one with --kubeconfig or the environment variable KUBECONFIG, or start a local cluster with `xstate-operator cluster up`.",
    },
  );
}

function defaultPaths(env: Environment): string[] {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((each) => each !== "");
  if (listed.length > 0) return listed;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  return home === "" ? [] : [join(home, ".kube", "config")];
}

/** The files that exist. */
async function readKubeConfigs(paths: readonly string[], readFile: ReadFile): Promise<KubeConfigFile[]> {
  const found: KubeConfigFile[] = [];
  for (const path of paths) {
    let text: string;
    try {
      text = await readFile(path);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") continue;
      throw new OperatorError("KUBECONFIG_INVALID", `${path} cannot be read: ${messageOf(error)}`, {
        cause: error,
        fields: { file: path },
        remedy: "Make the file readable, or choose another one with --kubeconfig.",
      });
    }
    found.push(parseKubeConfig(text, path));
  }
  return found;
}

function connect(
  config: KubeConfigFile,
  files: string,
  { context: wanted, env }: LoadConnectionOptions,
  readFile: ReadFile,
): Connection {
  const name = wanted ?? config.currentContext;
  const context = name === undefined ? undefined : config.contexts.get(name)?.();
  if (context === undefined) {
    const known = [...config.contexts.keys()];
    throw new OperatorError(
      "KUBECONFIG_CONTEXT_UNKNOWN",
      name === undefined ? `${files} has no current context` : `${files} has no context "${name}"`,
      {
        fields: { files, context: name },
        remedy:
          known.length === 0
            ? "The file has no contexts at all: write one with `kubectl config set-context`."
            : `Choose one of: ${known.join(", ")}.`,
      },
    );
  }
  const source = `context "${context.name}" of ${context.file}`;
  const cluster = config.clusters.get(context.cluster)?.();
  if (cluster === undefined) {
    throw new OperatorError(
      "KUBECONFIG_CLUSTER_UNKNOWN",
      `${source} names the cluster "${context.cluster}", which does not exist`,
      { fields: { source, cluster: context.cluster }, remedy: knownNames("clusters", config.clusters) },
    );
  }
  const user = context.user === undefined ? undefined : config.users.get(context.user)?.();
  if (context.user !== undefined && user === undefined) {
    throw new OperatorError(
      "KUBECONFIG_USER_UNKNOWN",
      `${source} names the user "${context.user}", which does not exist`,
      { fields: { source, user: context.user }, remedy: knownNames("users", config.users) },
    );
  }
  const authenticate =
    user !== undefined && hasPlugin(user)
      ? createCredentials(createPluginReader(readFile, cluster, user), { constant: false })
      : createCredentials(() => readFileCredentials(readFile, cluster, user), {
          constant: isConstant(cluster, user),
        });
  return {
    server: cluster.server,
    namespace: context.namespace ?? "default",
    source,
    trust: describeTrust(cluster),
    proxy:
      cluster.proxy === undefined
        ? proxyFor(cluster.server, env)
        : checkedProxy({
            url: cluster.proxy,
            source: `proxy-url of cluster "${cluster.name}" in ${cluster.file}`,
          }),
    authenticate,
  };
}

function describeTrust({ name, file, authority }: ClusterEntry): string {
  if (authority.data !== undefined) return `certificate-authority-data of cluster "${name}" in ${file}`;
  if (authority.file !== undefined) return `${authority.file} (cluster "${name}" in ${file})`;
  return `Node's built-in authorities, because cluster "${name}" in ${file} names none`;
}

function knownNames(what: string, entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0
    ? `The file has no ${what}.`
    : `Known ${what}: ${[...entries.keys()].join(", ")}.`;
}
