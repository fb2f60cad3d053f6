// The plain-text side of a Secret: the server merges `stringData` into `data` and never returns it.
import type { Secret } from "./core.ts";

/**
 * The secret as the server stores it: `stringData` encoded into `data`, and gone.
 * An intent in this form can be compared with the live object; with `stringData` it always differs.
 */
export function withEncodedStringData<T extends Pick<Secret, "data" | "stringData">>(
  secret: T,
): Omit<T, "stringData"> {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return rest;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, encodeSecretValue(text)] as const);
  return { ...rest, data: { ...secret.data, ...Object.fromEntries(encoded) } };
}

/** Plain text as it stands in `data`: base64 of its UTF-8 bytes. */
export function encodeSecretValue(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** The plain text under a key of `data`, or undefined when the key is missing. */
export function secretValue(secret: Pick<Secret, "data">, key: string): string | undefined {
  const encoded = secret.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}
