// From `KIND/NAME` as it was typed to the object on the cluster: the kind is looked up in the cluster's own definitions, so
// that no operator module is needed. Read by the commands that work on one object.
import { InvalidArgumentError, type Command } from "commander";
import { createKubeClient } from "../client/http-client.ts";
import { isForbidden, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import type { Connection } from "../client/connection.ts";
import { loadConnection } from "../client/kube-config.ts";
import { listPages } from "../client/paging.ts";
import { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import { graphAnnotation, operatorLabel } from "../kinds/crd.ts";
import { builtinTypes } from "../kinds/builtin/type-lookup.ts";
import type { AnyObject } from "../meta/object.ts";
import { formatKey, type ObjectKey } from "../meta/object-key.ts";
import { resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import { meantBy } from "../ports/misspelling.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { MachineGraph } from "../statechart/graph.ts";
import { parseGraph } from "../statechart/parse-graph.ts";
import type { Terminal } from "./terminal.ts";

/** `KIND/NAME` as typed. */
export interface TypedObject {
  /** Kind, singular, plural, short name, or `plural.group`. */
  readonly kind: string;
  readonly name: string;
}

/** Options of the commands that work on one object. */
export interface ClusterObjectOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A kind on a cluster. */
export interface ClusterKind {
  readonly client: KubeClient;
  readonly type: ResourceType<AnyObject>;
  /** The namespace that was asked for, or else that of the context; absent where the kind has none. */
  readonly namespace?: string;
  /** The lifecycle's graph from the definition; absent when the kind has none. */
  readonly graph?: MachineGraph;
  /** Whose kind it is, by the definition's label; absent where it does not say. */
  readonly operator?: string;
}

/** An object on a cluster. */
export interface ClusterObject extends ClusterKind {
  readonly key: ObjectKey;
  /** `kind/name`, in lower case, as it can be typed again. */
  readonly typed: string;
  /**
   * Reads it. **Errors**: `OBJECT_NOT_FOUND`; those of the client. **RBAC**: `get` on the kind.
   */
  read(signal?: AbortSignal): Promise<AnyObject>;
}

/** The arguments and the options that {@link onClusterObject} takes, or, for one or all objects of a kind, {@link onClusterKind}. */
export function withClusterObject(command: Command, which: "one" | "one or all" = "one"): Command {
  const isOne = which === "one";
  return withClusterOptions(
    command
      .usage(isOne ? "[options] <kind/name>" : "[options] <kind[/name]>")
      .argument(
        isOne ? "<kind/name>" : "<kind[/name]>",
        isOne
          ? "the object, for example database/orders, or database orders"
          : "the object, for example database/orders, or database orders; or a kind alone",
      )
      .argument("[name]", "its name, after a kind without one"),
  );
}

/** The object of `KIND/NAME` or `KIND NAME`; what is wrong is said as commander says it. */
export function typedObject(command: Command, kind: string, name: string | undefined): TypedObject {
  try {
    return parseTypedObject(name === undefined ? kind : `${kind}/${name}`);
  } catch (error: unknown) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const typed = name === undefined ? kind : `${kind} ${name}`;
    return command.error(
      `error: command-argument value '${typed}' is invalid for argument 'kind/name'. ${error.message}`,
      { code: error.code, exitCode: error.exitCode },
    );
  }
}

/** The options that name a cluster and a namespace. */
export function withClusterOptions(command: Command): Command {
  return withClusterAddress(
    command.option(
      "-n, --namespace <name>",
      "namespace of the object (default: the namespace of the kubeconfig's context)",
    ),
  );
}

/** The options that name a cluster. */
export function withClusterAddress(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "path to the kubeconfig (default: $KUBECONFIG, then ~/.kube/config)")
    .option("--context <name>", "kubeconfig context to use");
}

/** `KIND/NAME` from a text. **Errors**: commander's `InvalidArgumentError`. */
export function parseTypedObject(text: string): TypedObject {
  const [kind = "", name = "", ...rest] = text.split("/");
  if (kind !== "" && name !== "" && rest.length === 0) return { kind, name };
  throw new InvalidArgumentError("Write the kind, a slash and the name: database/orders.");
}

/**
 * Connects, looks the kind up, and does the work; the connection ends with it.
 *
 * **Errors**: those of `loadConnection`; `KIND_NOT_FOUND`, `KIND_AMBIGUOUS`, `KINDS_FORBIDDEN`.
 * **RBAC**: `list` on customresourcedefinitions.
 */
export async function onClusterObject<T>(
  terminal: Terminal,
  { kind, name }: TypedObject,
  options: ClusterObjectOptions,
  work: (object: ClusterObject) => Promise<T>,
): Promise<T> {
  return onClusterKind(terminal, kind, options, (found) => {
    const { client, type, namespace } = found;
    const key = namespace === undefined ? { name } : { namespace, name };
    return work({
      ...found,
      key,
      typed: `${type.kind.toLowerCase()}/${name}`,
      read: (signal) => readObject(client, type, key, signal),
    });
  });
}

/**
 * The same for a kind alone.
 *
 * **Errors** and **RBAC**: as {@link onClusterObject}.
 */
export async function onClusterKind<T>(
  terminal: Terminal,
  kind: string,
  options: ClusterObjectOptions,
  work: (kind: ClusterKind) => Promise<T>,
): Promise<T> {
  const { connection, client } = await connect(terminal, options);
  try {
    const definition = chooseDefinition(await readDefinitions(client), kind, "with a lifecycle");
    const type = storedTypeOf(definition);
    const graph = readGraphOf(definition);
    const operator = definition.metadata.labels?.[operatorLabel];
    const { namespace = connection.namespace } = options;
    return await work({
      client,
      type,
      ...(operator === undefined ? {} : { operator }),
      ...(type.namespaced ? { namespace } : {}),
      ...(graph === undefined ? {} : { graph }),
    });
  } finally {
    await client.close();
  }
}

/**
 * The definition of a kind on the cluster, by any of its names.
 *
 * **Errors** and **RBAC**: as {@link onClusterObject}.
 */
export async function readClusterDefinition(
  terminal: Terminal,
  kind: string,
  options: ClusterObjectOptions,
): Promise<CustomResourceDefinition> {
  const { client } = await connect(terminal, options);
  try {
    return await definitionOf(client, kind);
  } finally {
    await client.close();
  }
}

/** The same, by a client. */
export async function definitionOf(client: KubeClient, kind: string): Promise<CustomResourceDefinition> {
  return chooseDefinition(await readDefinitions(client), kind, "any");
}

/** Connects to the cluster of the options; the caller closes the client. */
export async function connect(
  terminal: Terminal,
  { kubeconfig, context }: Pick<ClusterObjectOptions, "kubeconfig" | "context">,
): Promise<{ readonly connection: Connection; readonly client: KubeClient }> {
  const path = kubeconfig === undefined ? undefined : terminal.path(kubeconfig);
  const connection = await loadConnection({ path, context, env: terminal.env });
  return { connection, client: createKubeClient(connection, { userAgent: "xstate-operator" }) };
}

async function readDefinitions(client: KubeClient): Promise<readonly CustomResourceDefinition[]> {
  const definitions: CustomResourceDefinition[] = [];
  try {
    for await (const { first, items } of listPages(client, CustomResourceDefinition)) {
      if (first) definitions.length = 0;
      definitions.push(...items);
    }
  } catch (error: unknown) {
    if (!isForbidden(error)) throw error;
    throw new OperatorError("KINDS_FORBIDDEN", "listing the cluster's CRDs is not allowed", {
      cause: error,
      remedy: error.message.includes('User "system:anonymous"')
        ? error.remedy
        : "Request the verb `list` on customresourcedefinitions (apiextensions.k8s.io): kinds and graphs are read from them.",
    });
  }
  return definitions;
}

function chooseDefinition(
  definitions: readonly CustomResourceDefinition[],
  typed: string,
  wanted: WantedKind,
): CustomResourceDefinition {
  const word = typed.toLowerCase();
  const named = definitions.filter((definition) =>
    namesOf(definition).some((name) => name.toLowerCase() === word),
  );
  const [only, second] = named;
  if (only !== undefined && second === undefined) return only;
  const list = (these: readonly CustomResourceDefinition[]): string =>
    these.map(({ metadata }) => metadata.name).join(", ");
  if (only !== undefined) {
    throw new OperatorError("KIND_AMBIGUOUS", `"${typed}" matches ${named.length} kinds on the cluster`, {
      remedy: `Write one of ${list(named)} instead.`,
    });
  }
  throw new OperatorError("KIND_NOT_FOUND", `the cluster has no custom kind "${typed}"`, {
    remedy: instead(definitions, typed, wanted),
  });
}

/** Which kinds a command is about: `explain` and the like need a lifecycle to say much. */
type WantedKind = "any" | "with a lifecycle";

/** What a kind may be called, with its group or without. */
function namesOf({ spec: { group, names } }: CustomResourceDefinition): readonly string[] {
  const { kind, plural, singular, shortNames = [] } = names;
  const words = [kind, plural, ...(singular === undefined ? [] : [singular])];
  return [...words, ...shortNames, ...words.map((name) => `${name}.${group}`)];
}

/** Kinds that are named where there is no such kind. */
const mostNamed = 10;

/** What can be typed in place of what no kind is called. */
function instead(
  definitions: readonly CustomResourceDefinition[],
  typed: string,
  wanted: WantedKind,
): string {
  const word = typed.toLowerCase();
  const builtin = builtinTypes.find(({ kind, plural }) => [kind.toLowerCase(), plural].includes(word));
  const known = definitions.filter((each) => wanted === "any" || readGraphOf(each) !== undefined);
  const meant = meantBy(typed, known.flatMap(namesOf));
  const names = known.map(({ metadata, spec }) => (wanted === "any" ? metadata.name : spec.names.kind));
  const kinds = wanted === "any" ? "custom kinds" : "kinds with a lifecycle";
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return [
    ...(builtin === undefined ? [] : [`${builtin.kind} is one of Kubernetes' own kinds.`]),
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    names.length === 0
      ? `There are no ${kinds} on the cluster; check the kubeconfig and its context.`
      : `The ${kinds} on the cluster: ${names.slice(0, mostNamed).join(", ")}${more}.`,
  ].join(" ");
}

/** The kind in the version in which its objects are stored, which nobody has to convert; else in one that is served. */
export function storedTypeOf({
  spec: { group, names, scope, versions },
}: Pick<CustomResourceDefinition, "spec">): ResourceType<AnyObject> {
  const version =
    versions.find(({ storage, served }) => storage && served) ?? versions.find(({ served }) => served);
  const { kind, plural } = names;
  return { group, version: version?.name ?? "v1", kind, plural, namespaced: scope === "Namespaced" };
}

/** The graph of a definition; one that cannot be read counts as none. */
export function readGraphOf({
  metadata,
}: Pick<CustomResourceDefinition, "metadata">): MachineGraph | undefined {
  const text = metadata.annotations?.[graphAnnotation];
  return text === undefined ? undefined : parseGraph(text);
}

async function readObject(
  client: KubeClient,
  type: ResourceType<AnyObject>,
  key: ObjectKey,
  signal: AbortSignal | undefined,
): Promise<AnyObject> {
  try {
    return await client.get(type, key, signal === undefined ? {} : { signal });
  } catch (error: unknown) {
    if (!isNotFound(error)) throw error;
    const where = key.namespace === undefined ? "" : ` in namespace ${key.namespace}`;
    throw new OperatorError("OBJECT_NOT_FOUND", `there is no ${type.kind} ${key.name}${where}`, {
      cause: error,
      fields: { object: formatKey(key), type: resourceNameOf(type) },
      remedy: `\`kubectl get ${resourceNameOf(type)}${key.namespace === undefined ? "" : " -A"}\` lists what is there${
        key.namespace === undefined ? "" : "; use -n for another namespace"
      }.`,
    });
  }
}
