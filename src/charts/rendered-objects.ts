// What a tool has rendered, as manifests: read as Kubernetes reads YAML, without what is not for the cluster, and held to the types
// that the operator may write.
import { parseAllDocuments } from "yaml";
import type { AnyManifest } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { apiVersionOf } from "../meta/resource-type.ts";
import { yamlOfKubernetes } from "../meta/yaml-form.ts";
import { TerminalError } from "../ports/operator-error.ts";

/** What is to become of a rendering. */
export interface RenderedFor {
  /** What was rendered, for messages: `the chart ./web`. */
  readonly what: string;
  readonly types: readonly ResourceType[];
  /** Where objects are that do not say it. */
  readonly namespace: string | undefined;
  readonly hooks: "refuse" | "ignore";
}

const hookAnnotation = "helm.sh/hook";

/**
 * The objects of a text, in its order.
 *
 * **Errors** (all give up): `CHART_INVALID` for what is no manifest; `CHART_TYPE_UNDECLARED` for an object of a type that was not
 * declared; `CHART_HOOKS` for a hook, unless hooks are ignored.
 */
export function objectsIn(
  text: string,
  { what, types, namespace, hooks }: RenderedFor,
): readonly AnyManifest[] {
  return documentsOf(text, what).flatMap((document): readonly AnyManifest[] => {
    const { apiVersion, kind, metadata } = document;
    const named = `${kind} "${metadata.name}"`;
    const hook = metadata.annotations?.[hookAnnotation];
    if (hook !== undefined) {
      const events = hook.split(",").map((event) => event.trim());
      // Tests are run by people.
      if (hooks === "ignore" || events.every((event) => event.startsWith("test"))) return [];
      throw new TerminalError(
        "CHART_HOOKS",
        `${what} has the hook ${hook} (${named}), which nobody runs here`,
        {
          remedy: "Make a task of the lifecycle of it, and say hooks: ignore.",
        },
      );
    }
    const type = types.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    if (type === undefined) {
      throw new TerminalError(
        "CHART_TYPE_UNDECLARED",
        `${what} makes ${named} of ${apiVersion}, which is not among its types`,
        {
          remedy: `Add { apiVersion: ${apiVersion}, kind: ${kind} } to its types: the operator's rights follow from them.`,
        },
      );
    }
    const isPlaced = !type.namespaced || namespace === undefined || metadata.namespace !== undefined;
    return [isPlaced ? document : { ...document, metadata: { ...metadata, namespace } }];
  });
}

function documentsOf(text: string, what: string): readonly AnyManifest[] {
  const documents = parseAllDocuments(text, yamlOfKubernetes);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) throw invalid(`${what} renders what is not YAML: ${mistake.message}`);
    return manifestsIn(document.toJS() as unknown, what);
  });
}

function manifestsIn(value: unknown, what: string): readonly AnyManifest[] {
  if (value === null || value === undefined) return [];
  const { apiVersion, kind, metadata, items } = value as Partial<AnyManifest> & { readonly items?: unknown };
  if (kind === "List" && Array.isArray(items)) return items.flatMap((item) => manifestsIn(item, what));
  if (typeof apiVersion === "string" && typeof kind === "string" && typeof metadata?.name === "string") {
    return [value as AnyManifest];
  }
  throw invalid(
    `${what} renders ${JSON.stringify(value).slice(0, 80)}, which is no object with apiVersion, kind and name`,
  );
}

function invalid(message: string): TerminalError {
  return new TerminalError("CHART_INVALID", message, { remedy: "Correct the template that makes it." });
}
