// The values of all Secrets that pass through a process, whichever way: lists, watches, reads, and what is written. A value
// that was read for one resource may turn up in what is reported of another one.
import { BoundedMap } from "../collections/bounded-map.ts";
import { TextFinder } from "../collections/text-finder.ts";
import { findEncoded } from "../collections/text-readings.ts";
import { replaceSpans, type Span } from "../collections/text-spans.ts";
import { encodeSecretValue } from "../kinds/builtin/secret-value.ts";
import { redacted } from "../meta/secret-text.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";
import {
  addressesWithin,
  isAddress,
  mostLookedThrough,
  secretsWithin,
} from "../reconcile/secrets/inner-secrets.ts";
import { formsOf } from "../reconcile/secrets/secret-values.ts";

/** Texts of values that are known; the newer half is kept when there are more. */
const mostTexts = 100_000;
/**
 * Characters of a value that are known: whatever follows them in a text is taken for the rest of it. What is quoted from the
 * middle of a longer one is left out by the runs that have read it (`SecretValues`).
 */
const mostCharacters = 512;
/** Secrets that are kept whole until there is a text to look through: each is as large as its owner made it. */
const mostPending = 100;
const mostAddresses = 10_000;
/** Characters of all texts that are remembered as free of secrets, and of one of them. */
const mostFree = 1_000_000;
const longestFree = 1_024;
/** Shorter values are words, and would be found in every text. */
const shortestValue = 8;
/** A value that is not only letters or only digits is no word. */
const shortestMixed = 6;

/** What a process knows. */
export class KnownSecrets implements SecretKeeper {
  readonly #finder = new TextFinder({ limit: mostTexts });
  /** Pieces of values that say where something is. */
  readonly #addresses = new BoundedMap<string, true>(mostAddresses);
  /** Worked out when there is a text to look through. */
  readonly #pending: object[] = [];
  readonly #noted = new WeakSet<object>();
  /** Texts in which nothing was found, by what is known now: causes, messages and names are the same again and again. */
  #free = newMemory();

  note(secret: unknown): void {
    if (typeof secret !== "object" || secret === null || this.#noted.has(secret)) return;
    this.#noted.add(secret);
    this.#pending.push(secret);
    // A process that never masks a text must not keep every Secret that has ever existed.
    if (this.#pending.length > mostPending) this.#takePending();
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0 && this.#finder.size === 0;
  }

  isFree(text: string): boolean {
    if (this.isEmpty) return true;
    this.#takePending();
    if (this.#free.get(text) !== undefined) return true;
    if (findEncoded(text, (reading) => this.find(reading.text)).length > 0) return false;
    if (text.length <= longestFree) this.#free.set(text, text.length);
    return true;
  }

  mask(text: string, isPublic?: (found: string) => boolean): string {
    if (this.isFree(text)) return text;
    return replaceSpans(
      text,
      findEncoded(text, (reading) => this.find(reading.text, isPublic)),
      redacted,
    );
  }

  find(text: string, isPublic: (found: string) => boolean = () => false): Iterable<Span> {
    this.#takePending();
    return this.#finder.find(
      text,
      (found, isPiece) => isPublic(found) || (isPiece && this.#addresses.get(found) === true),
    );
  }

  #takePending(): void {
    if (this.#pending.length === 0) return;
    this.#free = newMemory();
    for (const secret of this.#pending.splice(0)) this.#take(secret);
  }

  #take(secret: object): void {
    if (Array.isArray(secret)) {
      for (const operation of secret) this.#takeOperation(operation);
      return;
    }
    const { data, stringData, items } = secret as Readonly<Record<string, unknown>>;
    if (Array.isArray(items)) for (const item of items) if (isRecord(item)) this.#take(item);
    for (const [name, encoded] of textsIn(data)) this.#addEncoded(name, encoded);
    for (const [name, value] of textsIn(stringData)) this.#addPlain(name, value);
  }

  /** An operation of a JSON patch names what it writes in `path`. */
  #takeOperation(operation: unknown): void {
    const { path, value } = isRecord(operation) ? operation : {};
    const [, field, name = "value"] =
      /^\/(data|stringData)(?:\/(.*))?$/s.exec(typeof path === "string" ? path : "") ?? [];
    if (field === undefined) return;
    this.#take({ [field]: typeof value === "string" ? { [name]: value } : value });
  }

  #addEncoded(name: string, encoded: string): void {
    this.#addInner(Buffer.from(encoded.slice(0, 2 * mostLookedThrough), "base64").toString("utf8"));
    // Four characters are three bytes.
    const kept = encoded.slice(0, mostCharacters);
    const isCut = kept !== encoded;
    const value = Buffer.from(kept, "base64").toString("utf8");
    // Half a character at the end is not in any text.
    this.#add(name, isCut ? value.replace(/\uFFFD+$/, "") : value, { encoded: kept, isCut });
  }

  #addPlain(name: string, value: string): void {
    this.#addInner(value);
    const kept = value.slice(0, mostCharacters);
    const encoded = encodeSecretValue(kept).slice(0, mostCharacters);
    this.#add(name, kept, { encoded, isCut: kept !== value });
  }

  #addInner(value: string): void {
    for (const address of addressesWithin(value)) this.#addresses.set(address, true);
    for (const secret of secretsWithin(value)) {
      if (isSecret(secret)) for (const form of formsOf(secret)) this.#finder.add(form);
    }
  }

  #add(name: string, value: string, { encoded, isCut }: { encoded: string; isCut: boolean }): void {
    if (!isSecret(value.trim()) || isAddress(name, value.trim())) return;
    for (const form of formsOf(value, encoded)) this.#finder.add(form, isCut);
  }
}

function newMemory(): BoundedMap<string, number> {
  return new BoundedMap<string, number>(mostFree, (length) => length);
}

function isSecret(value: string): boolean {
  if (value.length >= shortestValue) return true;
  return value.length >= shortestMixed && !/^(?:\p{L}+|\d+)$/u.test(value);
}

function textsIn(value: unknown): readonly (readonly [name: string, text: string])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => (typeof each === "string" ? [[name, each]] : []));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
