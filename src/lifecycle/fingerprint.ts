// A short, stable hash of text and of JSON: for task keys and for noticing damage. Not against forgery: whoever may write
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

/** The hash of a JSON value, whatever the order of its fields: an API server may change that. */
export function fingerprintOfJson(value: unknown): string {
  return fingerprint(JSON.stringify(sorted(value)) ?? "");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
