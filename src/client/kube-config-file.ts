// Reads kubeconfig files into one typed whole: names resolved to entries, relative paths to absolute ones. Pure.
import { dirname, isAbsolute, resolve } from "node:path";
import { isScalar, parseDocument, visit } from "yaml";
import { messageOf, OperatorError } from "../ports/operator-error.ts";

/** A file's path or the data itself; the data wins. */
export interface Material {
  readonly data?: string;
  readonly file?: string;
}

/** Where a cluster is and whom to trust. */
export interface ClusterEntry {
  readonly name: string;
  readonly file: string;
  /** Base URL without credentials. */
  readonly server: string;
  /** `name:password` of the URL, for a user without credentials of another kind. */
  readonly login?: string;
  readonly authority: Material;
  readonly skipVerification: boolean;
  readonly serverName?: string;
  readonly proxy?: string;
}

/** A program that prints credentials. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion?: string;
  /** What its author says of how to get it. */
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
}

/** A user of a kubeconfig. */
export interface UserEntry {
  readonly name: string;
  readonly file: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly certificate: Material;
  readonly key: Material;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecPlugin;
  readonly authProvider?: { readonly name: string; readonly config: Readonly<Record<string, string>> };
  readonly impersonate: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
}

/** A cluster, a user and a namespace under one name. */
export interface ContextEntry {
  readonly name: string;
  readonly file: string;
  readonly cluster: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** Entries by their names, each read when it is needed: one that is not used may be unfinished, as kubectl writes it. */
export type Entries<T> = ReadonlyMap<string, () => T>;

/** One kubeconfig, or several merged. Errors of an entry, when it is read: `KUBECONFIG_INVALID`. */
export interface KubeConfigFile {
  readonly currentContext?: string;
  readonly clusters: Entries<ClusterEntry>;
  readonly users: Entries<UserEntry>;
  readonly contexts: Entries<ContextEntry>;
}

/** A YAML mapping whose scalars were all read as strings. */
type Fields = Readonly<Record<string, unknown>>;

/** Parses one file. Errors: `KUBECONFIG_INVALID`. */
export function parseKubeConfig(text: string, file: string): KubeConfigFile {
  let parsed: unknown;
  try {
    parsed = parseScalars(text);
  } catch (error) {
    throw invalid(file, messageOf(error), error);
  }
  if (!isFields(parsed)) throw invalid(file, "it is not a YAML mapping");
  const currentContext = textOf(parsed, "current-context");
  return {
    ...(currentContext === undefined ? {} : { currentContext }),
    clusters: readEntries(parsed, "clusters", "cluster", file, readCluster),
    users: readEntries(parsed, "users", "user", file, readUser),
    contexts: readEntries(parsed, "contexts", "context", file, readContext),
  };
}

/** The YAML with every scalar as the string it is written as, because a token of digits is no number, but for nulls. */
function parseScalars(text: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text, asWritten);
    } catch {
      // A mapping of YAML may begin so, too; what is wrong with it is for YAML's parser to say.
    }
  }
  const document = parseDocument(text, { schema: "failsafe" });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && node.type === "PLAIN" && /^(?:~|null|Null|NULL)$/.test(String(node.value)))
        node.value = null;
    },
  });
  return document.toJS();
}

/** A value of JSON as it is written, but for texts and nulls. */
function asWritten(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === "number" || typeof value === "boolean" ? source : value;
}

/** Several files as one: of entries with one name, and of current contexts, the first counts. */
export function mergeKubeConfigs(files: readonly KubeConfigFile[]): KubeConfigFile {
  const merge = <T>(pick: (file: KubeConfigFile) => ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    firstOfEach(files.flatMap((file) => [...pick(file)]));
  const currentContext = files.find((file) => file.currentContext !== undefined)?.currentContext;
  return {
    ...(currentContext === undefined ? {} : { currentContext }),
    clusters: merge((file) => file.clusters),
    users: merge((file) => file.users),
    contexts: merge((file) => file.contexts),
  };
}

function readEntries<T>(
  root: Fields,
  list: string,
  body: string,
  file: string,
  read: (name: string, fields: Fields, file: string) => T,
): Entries<T> {
  const entries = root[list];
  if (entries === undefined || entries === null || entries === "") return new Map();
  if (!Array.isArray(entries)) throw invalid(file, `"${list}" is not a list`);
  return firstOfEach(
    entries.map((entry: unknown, index): [string, () => T] => {
      const name = isFields(entry) ? textOf(entry, "name") : undefined;
      if (!isFields(entry) || name === undefined) throw invalid(file, `${list}[${index}] has no name`);
      const fields = entry[body];
      return [name, () => read(name, isFields(fields) ? fields : {}, file)];
    }),
  );
}

/** Of several entries with one name the first counts, as with kubectl. */
function firstOfEach<T>(entries: readonly (readonly [name: string, entry: T])[]): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const [name, entry] of entries) if (!map.has(name)) map.set(name, entry);
  return map;
}

function readCluster(name: string, fields: Fields, file: string): ClusterEntry {
  const server = textOf(fields, "server");
  if (server === undefined || !/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) {
    throw invalid(file, `cluster "${name}" needs a server that is an http:// or https:// URL`);
  }
  const serverName = textOf(fields, "tls-server-name");
  const proxy = textOf(fields, "proxy-url");
  const { username, password } = new URL(server);
  return {
    name,
    file,
    // What it says of the user is no address, and would be in every message about it.
    server: server.replace(/^(https?:\/\/)[^/?#]*@/, "$1").replace(/\/+$/, ""),
    ...(username === "" && password === ""
      ? {}
      : { login: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
    authority: readMaterial(fields, "certificate-authority", file),
    skipVerification: flagOf(fields, "insecure-skip-tls-verify", `cluster "${name}"`, file),
    ...(serverName === undefined ? {} : { serverName }),
    ...(proxy === undefined ? {} : { proxy }),
  };
}

function readUser(name: string, fields: Fields, file: string): UserEntry {
  const tokenFile = textOf(fields, "tokenFile");
  const { exec, "auth-provider": provider } = fields;
  return {
    name,
    file,
    ...pickTexts(fields, { token: "token", username: "username", password: "password" }),
    ...(tokenFile === undefined ? {} : { tokenFile: resolveFrom(file, tokenFile) }),
    certificate: readMaterial(fields, "client-certificate", file),
    key: readMaterial(fields, "client-key", file),
    ...(isFields(exec) ? { exec: readExec(name, exec, file) } : {}),
    ...(isFields(provider)
      ? {
          authProvider: {
            name: textOf(provider, "name") ?? "",
            config: isFields(provider["config"]) ? (provider["config"] as Record<string, string>) : {},
          },
        }
      : {}),
    impersonate: {
      ...pickTexts(fields, { user: "as", uid: "as-uid" }),
      groups: textsOf(fields["as-groups"]),
      extra: Object.fromEntries(
        Object.entries(isFields(fields["as-user-extra"]) ? fields["as-user-extra"] : {}).map(
          ([key, values]) => [key, textsOf(values)],
        ),
      ),
    },
  };
}

function readExec(user: string, fields: Fields, file: string): ExecPlugin {
  const command = textOf(fields, "command");
  if (command === undefined) throw invalid(file, `user "${user}" has an exec plugin without a command`);
  const env = Array.isArray(fields["env"]) ? fields["env"].filter((each) => isFields(each)) : [];
  return {
    // A bare name is looked up in PATH; a relative path starts at the file, as with kubectl.
    command: command.includes("/") ? resolveFrom(file, command) : command,
    args: textsOf(fields["args"]),
    env: env.map((each) => ({ name: textOf(each, "name") ?? "", value: textOf(each, "value") ?? "" })),
    ...pickTexts(fields, { apiVersion: "apiVersion", installHint: "installHint" }),
    provideClusterInfo: flagOf(fields, "provideClusterInfo", `the exec plugin of user "${user}"`, file),
  };
}

function readContext(name: string, fields: Fields, file: string): ContextEntry {
  const cluster = textOf(fields, "cluster");
  if (cluster === undefined) throw invalid(file, `context "${name}" names no cluster`);
  return { name, file, cluster, ...pickTexts(fields, { user: "user", namespace: "namespace" }) };
}

function readMaterial(fields: Fields, field: string, file: string): Material {
  const data = textOf(fields, `${field}-data`);
  const path = textOf(fields, field);
  return {
    ...(data === undefined ? {} : { data: Buffer.from(data, "base64").toString("utf8") }),
    ...(path === undefined ? {} : { file: resolveFrom(file, path) }),
  };
}

function resolveFrom(file: string, path: string): string {
  return isAbsolute(path) ? path : resolve(dirname(file), path);
}

function pickTexts<TName extends string>(
  fields: Fields,
  names: Readonly<Record<TName, string>>,
): { readonly [name in TName]?: string } {
  const picked = Object.entries<string>(names).map(([name, field]) => [name, textOf(fields, field)] as const);
  return Object.fromEntries(picked.filter(([, text]) => text !== undefined)) as { [name in TName]?: string };
}

/** A field's text; an empty one counts as absent. */
function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A flag as kubectl reads it (YAML 1.1); absent counts as false. */
function flagOf(fields: Fields, name: string, where: string, file: string): boolean {
  const text = textOf(fields, name) ?? "false";
  if (/^(?:true|True|TRUE|yes|Yes|YES|on|On|ON|y|Y)$/.test(text)) return true;
  if (/^(?:false|False|FALSE|no|No|NO|off|Off|OFF|n|N)$/.test(text)) return false;
  throw invalid(file, `${name} of ${where} must be true or false, not ${JSON.stringify(text)}`);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(file: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError("KUBECONFIG_INVALID", `${file} is not a valid kubeconfig: ${why}`, {
    cause,
    fields: { file },
    remedy:
      "Correct the file, or choose another one with --kubeconfig or the environment variable KUBECONFIG.",
  });
}
