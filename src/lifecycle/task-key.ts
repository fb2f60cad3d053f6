// The idempotency key of one attempt of one task: the same after a restart, different for everything else.

/** What makes a key. */
export interface TaskIdentity {
  /** UID of the custom resource. */
  readonly uid: string;
  /** The move by which the state was entered. */
  readonly entry: number;
  /** Id of the invoke. */
  readonly id: string;
  readonly attempt: number;
}

const longestKey = 52;

/** A valid Kubernetes object name of at most 52 characters: `backup-3-1-9f8a7b6c5d4e3f2a`. */
export function taskKeyOf({ uid, entry, id, attempt }: TaskIdentity): string {
  const tail = `-${entry}-${attempt}-${fingerprint(`${uid}\u0000${id}\u0000${entry}\u0000${attempt}`)}`;
  const name = id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, longestKey - tail.length)
    .replace(/-+$/, "");
  return `${name === "" ? "task" : name}${tail}`;
}

/** FNV-1a over 64 bits, in hexadecimal: http://www.isthe.com/chongo/tech/comp/fnv/ */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
