// What was declared of each object when it was looked at last: once the same was declared twice, that is neither hashed again nor, where it
// is large, compared again with an object that has not changed. Asked by object-intent.ts.
import { BoundedMap } from "../../collections/bounded-map.ts";
import { intentText, hashOfText } from "./intent-hash.ts";
import type { ListRules } from "./list-types.ts";
import { copyOf } from "./manifest-merge.ts";

/** Objects that are remembered; one of many characters counts as several. */
const remembered = 20_000;
const charactersOfOne = 2_048;

/** Characters from which it is dearer to compare an object than to remember that it was compared. */
const large = 4_096;

/** What is known of an intent. */
export interface KnownIntent {
  readonly hash: string;
  /** Whether the very object was found to be as declared. */
  isMetBy(live: object): boolean;
  /** Remembers that this object, which nobody changes, is as declared. */
  noteMetBy(live: object): void;
}

/**
 * The intents of one controller.
 *
 * **Memory**: a copy of each that was declared twice, at most 40 MB of text; all of it may be lost.
 */
export class KnownIntents {
  readonly #intents = new BoundedMap<string, RememberedIntent>(remembered, ({ weight }) => weight);

  /** What is known of what is declared of an object now. `index` names the object. */
  of(index: string, declared: unknown, rules: ListRules): KnownIntent {
    const known = this.#intents.get(index);
    if (known?.isSameAs(declared, rules) === true) return known;
    const text = intentText(declared, rules);
    const hash = hashOfText(text);
    const intent = new RememberedIntent(hash, text.length);
    // Most are declared once while a process starts, or otherwise each time: no copy is made for those.
    if (known?.hash === hash) intent.keep(declared, rules);
    this.#intents.set(index, intent);
    return intent;
  }
}

class RememberedIntent implements KnownIntent {
  readonly hash: string;
  readonly #characters: number;
  #kept: { readonly declared: unknown; readonly listKeys: ListRules["listKeys"] } | undefined;
  /** Not held: the cache has let it go once there is another state of it. */
  #met: WeakRef<object> | undefined;

  constructor(hash: string, characters: number) {
    this.hash = hash;
    this.#characters = characters;
  }

  /** Keeps a copy of what is declared, as authors may change what they have given. */
  keep(declared: unknown, { listKeys }: ListRules): void {
    this.#kept = { declared: copyOf(declared, "shared where nobody can change it"), listKeys };
  }

  /** What it counts among those that are remembered. */
  get weight(): number {
    return this.#kept === undefined ? 1 : Math.max(1, this.#characters / charactersOfOne);
  }

  isSameAs(declared: unknown, { listKeys }: ListRules): boolean {
    const kept = this.#kept;
    return kept !== undefined && isSame(kept.declared, declared) && isSame(kept.listKeys, listKeys);
  }

  isMetBy(live: object): boolean {
    return this.#met?.deref() === live;
  }

  noteMetBy(live: object): void {
    if (this.#characters >= large) this.#met = new WeakRef(live);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether two declared values are the same; of two that are no JSON that is not known. */
export function isSame(known: unknown, declared: unknown): boolean {
  if (Object.is(known, declared)) return true;
  if (typeof known !== "object" || typeof declared !== "object" || known === null || declared === null) {
    return false;
  }
  if (Array.isArray(known) || Array.isArray(declared)) {
    if (!Array.isArray(known) || !Array.isArray(declared) || known.length !== declared.length) return false;
    return known.every((each, index) => isSame(each, declared[index]));
  }
  if (Object.getPrototypeOf(declared) !== Object.prototype) return false;
  const [before, now] = [known as Fields, declared as Fields];
  let more = 0;
  for (const name in before) {
    if (!isSame(before[name], now[name])) return false;
    more -= 1;
  }
  for (const _name in now) more += 1;
  return more === 0;
}
