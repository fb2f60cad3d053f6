// A kind as the cluster has it, for what is generated of it: in each version that is served, or one of Kubernetes' own.
import { isOperatorError } from "../ports/operator-error.ts";
import {
  entriesOfDefinition,
  findEntry,
  knowsEntry,
  type Dictionary,
  type DictionaryEntry,
} from "../scaffold/dictionary.ts";
import { readClusterDefinition, type ClusterObjectOptions } from "./cluster-object.ts";
import type { Terminal } from "./terminal.ts";

/**
 * The entries of a kind by any of its names on the cluster, or with a version as in `StoreV1beta1`; of one that the cluster defines by
 * itself that of the dictionary.
 *
 * **Errors**: those of {@link readClusterDefinition}; `DICTIONARY_INVALID`.
 */
export async function entriesOnCluster(
  terminal: Terminal,
  kind: string,
  cluster: ClusterObjectOptions,
  dictionary: Dictionary,
): Promise<readonly DictionaryEntry[]> {
  const [, plain = kind] = /^(.+)V\d+(?:(?:alpha|beta)\d+)?$/.exec(kind) ?? [];
  for (const name of new Set([kind, plain])) {
    try {
      return entriesOfDefinition(await readClusterDefinition(terminal, name, cluster), "the cluster");
    } catch (error) {
      const isLast = name === plain;
      if (!isOperatorError(error, "KIND_NOT_FOUND") || (isLast && !knowsEntry(dictionary, kind))) throw error;
    }
  }
  return [findEntry(dictionary, kind)];
}
