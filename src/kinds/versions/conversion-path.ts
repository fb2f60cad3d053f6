// Whether the versions of a kind have to be converted, and where the API server asks for it.
import { resourceNameOf, type ResourceType } from "../../meta/resource-type.ts";
import type { KindVersion } from "./kind-version.ts";

/** Whether a version of the kind has a conversion; else the API server can do without the operator. */
export function isConverted({ versions }: { readonly versions: readonly KindVersion[] }): boolean {
  return versions.some(({ convert }) => convert !== undefined);
}

/** The path of the webhook that converts a kind. */
export function conversionPathOf(kind: Pick<ResourceType, "group" | "plural">): string {
  return `/convert/${resourceNameOf(kind)}`;
}
