// Credentials that a program or an identity provider hands out (`exec`, `auth-provider`): left to client-node, which is
// loaded only when a kubeconfig needs it, because it costs 85 MB of memory.
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import { maskStart, redacted, redactText } from "../meta/secret-text.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Authentication } from "./connection.ts";
import type { ReadAuthentication, ReadFile } from "./credentials.ts";
import { impersonationHeaders, readTls } from "./file-credentials.ts";
import type { ClusterEntry, ExecPlugin, UserEntry } from "./kube-config-file.ts";

/** Whether a user's credentials come from a plugin. */
export function hasPlugin(user: UserEntry): boolean {
  return user.exec !== undefined || user.authProvider !== undefined;
}

/** Reads credentials by running the user's plugin. Errors: `CREDENTIALS_FAILED`, `KUBECONFIG_FILE_UNREADABLE`. */
export function createPluginReader(
  readFile: ReadFile,
  cluster: ClusterEntry,
  user: UserEntry,
): ReadAuthentication {
  let kubeConfig: Awaited<ReturnType<typeof loadKubeConfig>> | undefined;
  return async (refresh): Promise<Authentication> => {
    try {
      // It remembers a token until it expires, or for ever when it has no expiry: a new one asks the plugin again.
      if (refresh || kubeConfig === undefined) kubeConfig = await loadKubeConfig(cluster, user);
      const options: { headers?: Record<string, string>; cert?: string; key?: string } = {};
      await kubeConfig.applyToHTTPSOptions(options);
      const authorization = options.headers?.["Authorization"];
      const { cert, key } = options;
      return {
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...impersonationHeaders(user),
        },
        tls: {
          ...(await readTls(readFile, cluster, undefined)),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
        },
      };
    } catch (error) {
      const plugin =
        user.exec === undefined
          ? `auth-provider "${user.authProvider?.name}"`
          : `exec plugin "${user.exec.command}"`;
      throw new OperatorError(
        "CREDENTIALS_FAILED",
        `the ${plugin} of user "${user.name}" in ${user.file} gave no credentials: ${saidBy(user.exec, error)}`,
        {
          // Without the cause: its message is all that the plugin has printed.
          fields: { user: user.name, file: user.file },
          remedy: remedyFor(user.exec, error),
        },
      );
    }
  };
}

/** Lines of a plugin's output that an error quotes, and characters of each. */
const quotedLines = 3;
const quotedCharacters = 300;
/** A JSON Web Token, RFC 7519. */
const webToken = /\beyJ[\w-]{4,}(?:\.[\w-]*){0,4}/g;

/** The beginning of what a plugin has printed before it failed, without the secrets that it was given or speaks of. */
function saidBy(exec: ExecPlugin | undefined, error: unknown): string {
  const given = (exec?.env ?? []).map(({ value }) => value).filter((value) => value.length >= 4);
  const lines = messageOf(error).trim().split("\n").slice(0, quotedLines);
  const withoutGiven = (text: string): string =>
    given.reduce((rest, value) => rest.replaceAll(value, redacted), text);
  const mask = (text: string): string => redactText(withoutGiven(text)).replace(webToken, redacted);
  const shown = lines.map((line) => maskStart(line.trim(), mask, quotedCharacters));
  return shown.filter((line) => line !== "").join("; ") || "it printed nothing";
}

function remedyFor(exec: ExecPlugin | undefined, error: unknown): string {
  if (exec === undefined || !messageOf(error).includes("ENOENT"))
    return "Run the plugin's command by hand to see what it needs; often a login has expired.";
  const hint = exec.installHint?.trim() ?? "";
  const said =
    hint === "" ? "" : ` The kubeconfig says of it: ${maskStart(hint, redactText, quotedCharacters)}`;
  return `Install the plugin where PATH finds it.${said}`;
}

async function loadClientNode(): Promise<{ readonly KubeConfig: typeof KubeConfig }> {
  try {
    return await import("@kubernetes/client-node");
  } catch (error) {
    throw new OperatorError(
      "CREDENTIAL_PLUGIN_UNAVAILABLE",
      "the kubeconfig's user has a credential plugin, for which the package @kubernetes/client-node is needed",
      {
        cause: error,
        remedy:
          "Install it beside the operator (npm install @kubernetes/client-node), or use a kubeconfig with a token or a certificate; in a pod none is needed.",
      },
    );
  }
}

async function loadKubeConfig(cluster: ClusterEntry, user: UserEntry) {
  const { KubeConfig } = await loadClientNode();
  const kubeConfig = new KubeConfig();
  const theirCluster: Cluster = { name: cluster.name, server: cluster.server, skipTLSVerify: true };
  const theirUser: User = {
    name: user.name,
    ...(user.certificate.data === undefined ? {} : { certData: encode(user.certificate.data) }),
    ...(user.certificate.file === undefined ? {} : { certFile: user.certificate.file }),
    ...(user.key.data === undefined ? {} : { keyData: encode(user.key.data) }),
    ...(user.key.file === undefined ? {} : { keyFile: user.key.file }),
    ...(user.authProvider === undefined ? {} : { authProvider: user.authProvider }),
    ...(user.exec === undefined ? {} : { exec: toTheirExec(user.exec, cluster) }),
  };
  kubeConfig.loadFromClusterAndUser(theirCluster, theirUser);
  return kubeConfig;
}

/** The plugin's call, with the information that kubectl gives and client-node does not. */
function toTheirExec(exec: ExecPlugin, cluster: ClusterEntry) {
  const information = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: {
      interactive: false,
      ...(exec.provideClusterInfo
        ? {
            cluster: {
              server: cluster.server,
              "insecure-skip-tls-verify": cluster.skipVerification,
              ...(cluster.serverName === undefined ? {} : { "tls-server-name": cluster.serverName }),
              ...(cluster.authority.data === undefined
                ? {}
                : { "certificate-authority-data": encode(cluster.authority.data) }),
            },
          }
        : {}),
    },
  };
  return {
    command: exec.command,
    args: exec.args,
    env: [...exec.env, { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(information) }],
  };
}

const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
