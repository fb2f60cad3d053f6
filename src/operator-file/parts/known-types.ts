// The API types that a file names by apiVersion and kind: Kubernetes' own, those of the file, and others by their usual names.
import { builtinTypes, typeOf } from "../../kinds/builtin/type-lookup.ts";
import { pluralOf } from "../../kinds/kind-names.ts";
import { apiVersionOf, parseApiVersion, typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import { meantBy } from "../../ports/misspelling.ts";
import type { OperatorForm } from "../form/file-form.ts";
import type { TemplatePlace } from "../expressions/template.ts";

/** Types by the words of manifests. */
export class KnownTypes {
  readonly #declared = new Map<string, ResourceType>();

  constructor({ types = [] }: Pick<OperatorForm, "types">) {
    for (const { apiVersion, kind, plural = pluralOf(kind.toLowerCase()), namespaced = true } of types) {
      this.add({ ...parseApiVersion(apiVersion), kind, plural, namespaced });
    }
  }

  /** One more, such as a kind of the file. */
  add(type: ResourceType): void {
    this.#declared.set(`${apiVersionOf(type)}/${type.kind}`, type);
  }

  /**
   * The type of these words, which stand at a place as apiVersion and kind; undefined for one that a group of Kubernetes' own does not
   * have, which is reported.
   */
  at(apiVersion: string, kind: string, { reader, path }: TemplatePlace): ResourceType | undefined {
    const { group } = parseApiVersion(apiVersion);
    const isKnown = this.#declared.has(`${apiVersion}/${kind}`) || typeOf(apiVersion, kind) !== undefined;
    if (isKnown || !builtinTypes.some((type) => type.group === group)) return this.of(apiVersion, kind);
    const namesake = builtinTypes.find((type) => type.kind === kind);
    const ofGroup = builtinTypes.filter((type) => apiVersionOf(type) === apiVersion);
    const meant = meantBy(
      kind,
      ofGroup.map((type) => type.kind),
    );
    reader.report({
      code: "TYPE_UNKNOWN",
      path: [...path, ofGroup.length > 0 && meant !== undefined ? "kind" : "apiVersion"],
      message: `${apiVersion} has no ${kind}`,
      remedy:
        meant !== undefined
          ? `Did you mean "${meant}"?`
          : namesake !== undefined
            ? `Write apiVersion: ${apiVersionOf(namesake)}.`
            : "Correct apiVersion and kind; a type that your cluster has besides is declared in types: [{ apiVersion, kind }].",
    });
    return undefined;
  }

  /** The type of these words. One that nobody has declared has the usual plural, and lives in namespaces. */
  of(apiVersion: string, kind: string): ResourceType {
    return (
      this.#declared.get(`${apiVersion}/${kind}`) ??
      typeOf(apiVersion, kind) ?? {
        ...parseApiVersion(apiVersion),
        kind,
        plural: pluralOf(kind.toLowerCase()),
        namespaced: true,
      }
    );
  }
}

/** Types, each once. */
export function distinctTypes(types: readonly ResourceType[]): readonly ResourceType[] {
  return [...new Map(types.map((type) => [typeKeyOf(type), type])).values()];
}
