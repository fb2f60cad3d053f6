// Finds many known texts within others, as a whole or in long pieces, in a time that does not grow with their number.
// Known texts are cut into blocks; a text that shares enough characters with one of them shares a whole block with it.
import { replaceSpans, type Span } from "./text-spans.ts";

/** The shortest text that can be known, unless blocks are smaller: it has a block. */
export const shortestText = 6;
/** Characters in a row that a text must share with a longer one to hold a piece of it: however they lie, a block is among them. */
export const shortestPiece = 2 * shortestText;
/** Blocks from one to the next that is known there: a piece of this many blocks is found. */
const sparse = 20;

interface KnownText {
  readonly text: string;
  /** It goes on with what is not known: whatever follows it in a text belongs to it. */
  readonly isCut: boolean;
}

/** Whether what was found stays; `isPiece`: it is a part of what is known. */
export type Kept = (found: string, isPiece: boolean) => boolean;

/** Options of {@link TextFinder}. */
export interface TextFinderOptions {
  /** Texts that are known. */
  readonly limit: number;
  /**
   * Characters of a longer text of which every block is known, and then only some: pieces from further back are found when
   * they are about 130 characters long. Default 96.
   */
  readonly denseUpTo?: number;
  /** Characters of a block, at most six: the shortest text that can be known. Default 6. */
  readonly blockSize?: number;
}

/** Known texts, within a bound: the newer half is kept when there are too many. */
export class TextFinder {
  readonly #limit: number;
  readonly #denseUpTo: number;
  readonly #blockSize: number;
  #texts = new Map<string, KnownText>();
  #blocks = new BlockTable();

  constructor({ limit, denseUpTo = 96, blockSize = shortestText }: TextFinderOptions) {
    this.#limit = limit;
    this.#denseUpTo = denseUpTo;
    this.#blockSize = blockSize;
  }

  get size(): number {
    return this.#texts.size;
  }

  /** Makes a text known; one that is too short is passed over. `isCut`: it is the beginning of a longer one. */
  add(text: string, isCut = false): void {
    if (text.length < this.#blockSize || this.#texts.has(text)) return;
    if (this.#texts.size >= this.#limit) this.#forget();
    this.#index({ text, isCut });
  }

  /** The text with something else in the place of what is known, but for what is `kept`. */
  replace(text: string, instead: string, kept: Kept = () => false): string {
    return replaceSpans(text, [...this.find(text, kept)], instead);
  }

  /** Where something known is in the text, but for what is `kept`; what is found may overlap. */
  *find(text: string, kept: Kept = () => false): Generator<Span> {
    if (this.#texts.size === 0) return;
    let at = 0;
    while (at + this.#blockSize <= text.length) {
      const found = this.#spanAt(text, at, kept);
      if (found === undefined) at += 1;
      else {
        yield found;
        // Another one may begin within this one, and end after it.
        at = Math.max(at + 1, found.end - this.#blockSize + 1);
      }
    }
  }

  /** From the first to the last character of all that is known around the block that begins here. */
  #spanAt(text: string, at: number, kept: Kept): Span | undefined {
    const hash = hashOf(text, at, this.#blockSize);
    let all: Span | undefined;
    for (let block = this.#blocks.last(hash); block !== undefined; block = this.#blocks.before(block, hash)) {
      const { known, position } = this.#blocks.at(block);
      const span = spanAround(text, at, { known, position, size: this.#blockSize });
      if (span === undefined) continue;
      const { start, end } = span;
      if (kept(text.slice(start, end), end - start < known.text.length)) continue;
      all = { start: Math.min(span.start, all?.start ?? at), end: Math.max(span.end, all?.end ?? at) };
    }
    return all;
  }

  #index(known: KnownText): void {
    const { text } = known;
    this.#texts.set(text, known);
    const size = this.#blockSize;
    const last = text.length - size;
    for (let at = 0; at < last; at += at < this.#denseUpTo ? size : sparse * size) {
      this.#blocks.add(hashOf(text, at, size), known, at);
    }
    // Texts that differ at their end only are distinguished by it.
    this.#blocks.add(hashOf(text, last, size), known, last);
  }

  #forget(): void {
    const newer = [...this.#texts.values()].slice(Math.ceil(this.#limit / 2));
    this.#texts = new Map();
    this.#blocks = new BlockTable();
    for (const known of newer) this.#index(known);
  }
}

/** Blocks by their hash, in arrays of numbers: there are many, and each is small. */
class BlockTable {
  readonly #texts: KnownText[] = [];
  #count = 0;
  /** Of each bucket: its last block and 1; 0 for none. */
  #heads = new Int32Array(1_024);
  /** Of each block: the one before it in its bucket, and 1. */
  #next = new Int32Array(1_024);
  #hashes = new Int32Array(1_024);
  #ofText = new Int32Array(1_024);
  #places = new Int32Array(1_024);

  add(hash: number, text: KnownText, at: number): void {
    if (this.#count === this.#next.length) this.#grow();
    if (this.#texts.at(-1) !== text) this.#texts.push(text);
    const block = this.#count;
    this.#count += 1;
    this.#hashes[block] = hash;
    this.#ofText[block] = this.#texts.length - 1;
    this.#places[block] = at;
    this.#link(block, hash);
  }

  /** The block that was added last of those with this hash. */
  last(hash: number): number | undefined {
    return this.#from((this.#heads[hash & (this.#heads.length - 1)] ?? 0) - 1, hash);
  }

  /** The one before it. */
  before(block: number, hash: number): number | undefined {
    return this.#from((this.#next[block] ?? 0) - 1, hash);
  }

  at(block: number): { readonly known: KnownText; readonly position: number } {
    const known = this.#texts[this.#ofText[block] ?? 0];
    if (known === undefined) throw new RangeError(`there is no block ${block}`);
    return { known, position: this.#places[block] ?? 0 };
  }

  #from(first: number, hash: number): number | undefined {
    let block = first;
    while (block >= 0 && this.#hashes[block] !== hash) block = (this.#next[block] ?? 0) - 1;
    return block < 0 ? undefined : block;
  }

  #link(block: number, hash: number): void {
    const bucket = hash & (this.#heads.length - 1);
    this.#next[block] = this.#heads[bucket] ?? 0;
    this.#heads[bucket] = block + 1;
  }

  #grow(): void {
    const double = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const larger = new Int32Array(array.length * 2);
      larger.set(array);
      return larger;
    };
    [this.#hashes, this.#ofText, this.#places] = [
      double(this.#hashes),
      double(this.#ofText),
      double(this.#places),
    ];
    this.#heads = new Int32Array(this.#heads.length * 2);
    this.#next = double(this.#next);
    for (let block = 0; block < this.#count; block += 1) this.#link(block, this.#hashes[block] ?? 0);
  }
}

/** What a text shares with a known one around a block; undefined when it is too short to be a piece of it. */
function spanAround(
  text: string,
  position: number,
  { known, position: at, size }: { known: KnownText; position: number; size: number },
): Span | undefined {
  for (let offset = 0; offset < size; offset += 1) {
    if (text.charCodeAt(position + offset) !== known.text.charCodeAt(at + offset)) return undefined;
  }
  let [before, after] = [0, size];
  while (
    before < at &&
    before < position &&
    text.charCodeAt(position - before - 1) === known.text.charCodeAt(at - before - 1)
  ) {
    before += 1;
  }
  while (
    at + after < known.text.length &&
    position + after < text.length &&
    text.charCodeAt(position + after) === known.text.charCodeAt(at + after)
  ) {
    after += 1;
  }
  const length = before + after;
  if (length < shortestPiece && length < known.text.length) return undefined;
  const goesOn = known.isCut && at + after === known.text.length;
  return { start: position - before, end: goesOn ? text.length : position + after };
}

function hashOf(text: string, at: number, size: number): number {
  let hash = 0;
  for (let offset = 0; offset < size; offset += 1)
    hash = (Math.imul(hash, 31) + text.charCodeAt(at + offset)) | 0;
  return hash;
}
