// The fingerprint of what we declare, kept as an annotation on the object: tells that the intent has changed since it was
// written, also when the change is a key that is no longer there.
import { hash as digestOf } from "node:crypto";
import objectHash from "object-hash";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { canonicalIntent } from "./canonical-intent.ts";
import type { ListRules } from "./list-types.ts";

/** The annotation that holds the hash. */
export const intentHashAnnotation = "xstate-operator.dev/intent-hash";

/** Intents whose hashes are remembered, at about 150 bytes each. */
const remembered = 20_000;

/**
 * The hash of a declared value: equal for equal content, whatever the order of maps and of lists that are keyed or
 * unordered on the server; 40 hexadecimal digits.
 */
export function intentHash(value: unknown, rules: ListRules): string {
  // As one text: object-hash takes over a millisecond to walk a Deployment, and some microseconds for a string.
  const text = JSON.stringify(canonicalIntent(value, rules) ?? null);
  return objectHash(text, { algorithm: "sha256" }).slice(0, 40);
}

/** Hashes that were worked out before, by the exact text of the intent: that says which lists are keyed without a walk. */
export class IntentHashes {
  readonly #known = new BoundedMap<string, string>(remembered);

  hashOf(value: unknown, rules: ListRules): string {
    const text = `${rules.kind}${rules.builtin ? "" : "*"}${JSON.stringify(value) ?? ""}`;
    const digest = digestOf("sha1", text, "base64");
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const hash = intentHash(value, rules);
    this.#known.set(digest, hash);
    return hash;
  }
}

/** The hash in an object's annotations. */
export function storedHash(object: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}): string | undefined {
  return object.metadata.annotations?.[intentHashAnnotation];
}

/** The manifest with the hash among its annotations; the others are kept. */
export function withHash<
  T extends { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } },
>(manifest: T, hash: string): T {
  const annotations = { ...manifest.metadata.annotations, [intentHashAnnotation]: hash };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}
