// A short, stable hash of text and of JSON: for task keys and for detecting damage. Not against forgery: whoever may write
// the status may write the hash too.

/** 16 hexadecimal digits: FNV-1a twice over 32 bits, see http://www.isthe.com/chongo/tech/comp/fnv/ */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + at), 0x85ebca6b);
  }
  // The last bits of a product are weak: each half is mixed with the other.
  const mixed = [low ^ (high >>> 15), high ^ (low >>> 13)];
  return mixed.map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * The hash of a JSON value. The order of fields does not count, and neither do fields that are null or empty: ways of
 * writing differ in what they keep of those (a merge patch takes null as a removal).
 */
export function fingerprintOfJson(value: unknown): string {
  return fingerprint(JSON.stringify(normalised(value)) ?? "");
}

function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, normalised(inner)] as const)
      .filter(([, inner]) => !isEmpty(inner))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0)
  );
}
