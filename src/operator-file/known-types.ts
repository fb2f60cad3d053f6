// The API types that a file names by apiVersion and kind: Kubernetes' own, those of the file, and others by their usual names.
import { typeOf } from "../kinds/builtin/type-lookup.ts";
import { pluralOf } from "../kinds/kind-names.ts";
import { apiVersionOf, parseApiVersion, typeKeyOf, type ResourceType } from "../meta/resource-type.ts";
import type { OperatorForm } from "./file-form.ts";

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
