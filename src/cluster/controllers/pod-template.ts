// Making pods, and names for what is made, out of templates.
import { createHash } from "node:crypto";
import type { Pod } from "../../kinds/builtin/core.ts";
import type { PodTemplateSpec } from "../../kinds/builtin/parts.ts";
import type { ManifestOf, OwnerReference } from "../../meta/object.ts";
import type { Random } from "../../ports/random.ts";

/** The letters and digits of generated names: no vowels, nothing that looks alike. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** A pod of a template with a controller. */
export function podFromTemplate(
  template: PodTemplateSpec,
  identity: {
    readonly namespace: string;
    readonly name: string;
    readonly generateName?: string;
    readonly owner: OwnerReference;
  },
): ManifestOf<Pod> {
  const { labels, annotations } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: identity.namespace,
      name: identity.name,
      ...(identity.generateName === undefined ? {} : { generateName: identity.generateName }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [identity.owner],
    },
    spec: template.spec,
  };
}

/** `base-xxxxx`, with five random letters; a long base is cut so that the name stays below 64 characters. */
export function generatedName(base: string, random: Random): string {
  const letters = Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]);
  return `${`${base}-`.slice(0, 58)}${letters.join("")}`;
}

/**
 * The name of a new object, and what it is made of. It is chosen here and not by the API server: a creation that is repeated
 * because its answer was lost then makes no second object.
 */
export function namedAfter(
  base: string,
  random: Random,
): { readonly name: string; readonly generateName: string } {
  return { name: generatedName(base, random), generateName: `${base}-` };
}

/** Ten letters that stand for a value: equal for values that differ in the order of keys only. */
export function templateHash(value: unknown, collisionCount = 0): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .update(String(collisionCount));
  return [...digest.digest().subarray(0, 10)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
