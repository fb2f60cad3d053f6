// Slots: the fixed number of parts into which all keys fall, so that what a replica owns can be written down, compared and
// handed over one by one. Pure; read by the assignment, the Lease and the table of a member.

/** How many slots there are. Written into no Lease: a change of it is a change of every key's slot. */
export const slotCount = 1024;

/** All slots, in order. */
export const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot);

/**
 * A 32-bit hash of a text: FNV-1a (Fowler, Noll, Vo) over its UTF-16 units, then the finalizer of MurmurHash3
 * (Appleby), without which texts that differ at the end would differ in few bits.
 */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The slot of one object: `resource` as in `databases.data.example.com`, `key` as in `namespace/name`. */
export function slotOf(resource: string, key: string): number {
  return hashOf(`${resource}/${key}`) % slotCount;
}

/** Slots as text: one bit each, in hexadecimal, the first slot in the highest bit; empty for none. */
export function formatSlots(slots: Iterable<number>): string {
  const bytes = new Uint8Array(slotCount / 8);
  let none = true;
  for (const slot of slots) {
    none = false;
    bytes[slot >> 3] = (bytes[slot >> 3] ?? 0) | (0x80 >> (slot & 7));
  }
  if (none) return "";
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The slots in a text made by {@link formatSlots}; undefined when it is anything else. */
export function parseSlots(text: string): ReadonlySet<number> | undefined {
  if (text === "") return new Set();
  if (text.length !== slotCount / 4 || !/^[0-9a-f]+$/.test(text)) return undefined;
  return new Set(
    allSlots.filter((slot) => ((parseInt(text[slot >> 2] ?? "0", 16) >> (3 - (slot & 3))) & 1) === 1),
  );
}
