// Keeps the data of Secrets that a reconcile has read out of what people are shown: conditions, Kubernetes Events, logs.
// Authors put what they read into the texts of their errors; whoever may see a condition need not be allowed to read the
// Secret. Fed by what a run reads; asked by whatever makes a text for people.
import type { Secret } from "../../kinds/builtin/core.ts";
import { secretValue } from "../../kinds/builtin/secret-value.ts";
import type { KubeObject } from "../../meta/object.ts";
import { maskStart, redacted, redactText } from "../../meta/secret-text.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { shortestText, TextFinder } from "../../collections/text-finder.ts";
import { findEncoded } from "../../collections/text-readings.ts";
import { replaceSpans } from "../../collections/text-spans.ts";
import { noSecrets, type SecretKeeper } from "../../ports/secret-keeper.ts";
import { addressesWithin, isAddress, secretsWithin } from "./inner-secrets.ts";

/** Shorter values are no secrets, and would be found in every text. */
const shortestValue = 4;
/** Forms of values kept for one custom resource; the newer half stays when there are more. */
const maxForms = 2_000;
/** Characters of a form within which every piece is found. */
const denseUpTo = 8_192;

/** States of Secrets kept for one custom resource; the oldest are forgotten first. */
const maxSecrets = 64;

/** What is looked for. */
interface Known {
  readonly long: TextFinder;
  /** Values that are too short to be known by pieces; among bytes they may be found by chance. */
  readonly short: TextFinder;
  /** Pieces of values that say where something is. */
  readonly addresses: Set<string>;
}

function knowNothing(): Known {
  return {
    long: new TextFinder({ limit: maxForms, denseUpTo }),
    short: new TextFinder({ limit: maxForms, blockSize: shortestValue }),
    addresses: new Set(),
  };
}

/** Of those who have read no Secret, which are most. */
const nothingKnown = knowNothing();

/** The Secrets that were read for one custom resource. Their values are worked out only when there is a text to look through. */
export class SecretValues {
  /** Made with the first Secret: most resources have none. */
  #secrets: BoundedMap<string, Pick<Secret, "data">> | undefined;
  /** Made again when there is a text after it was collected: there are as many as custom resources. */
  #known: WeakRef<Known> | undefined;
  readonly #isPublic: (found: string) => boolean;
  readonly #keeper: SecretKeeper;

  /**
   * `isPublic` tells words that are no secret whatever a Secret says, as the custom resource's name; `keeper` knows what was
   * read for others.
   */
  constructor(isPublic: (found: string) => boolean = () => false, keeper: SecretKeeper = noSecrets) {
    this.#isPublic = isPublic;
    this.#keeper = keeper;
  }

  /** Notes an object that was read; what is no Secret is passed over. */
  note(object: KubeObject | undefined): void {
    if (object?.kind !== "Secret" || object.apiVersion !== "v1") return;
    this.#keeper.note(object);
    const { uid, resourceVersion } = object.metadata;
    const state = `${uid}@${resourceVersion}`;
    this.#secrets ??= new BoundedMap(maxSecrets);
    if (this.#secrets.get(state) !== undefined) return;
    this.#secrets.set(state, object as KubeObject & Pick<Secret, "data">);
    this.#known = undefined;
  }

  /** The beginning of a text without the values, nor the data of Secrets that it quotes. */
  mask(text: string): string {
    return maskStart(text, this.masker());
  }

  /** The same for many texts whose length the caller limits: whole, and by what was read so far. */
  masker(): (text: string) => string {
    if (this.#secrets === undefined && this.#keeper.isEmpty) return redactText;
    const keeper = this.#keeper;
    const { long, short, addresses } = this.#knownNow();
    // All are looked for in the same text: what one has left of another would not be found any more.
    const maskAll = (text: string): string => {
      const spans = findEncoded(text, ({ text: reading, isBinary }) => [
        ...(isBinary ? [] : short.find(reading)),
        ...long.find(reading, (found, isPiece) => isPiece && addresses.has(found)),
        ...keeper.find(reading, this.#isPublic),
      ]);
      return redactText(replaceSpans(text, spans, redacted));
    };
    if (this.#secrets !== undefined) return maskAll;
    return (text) => (keeper.isFree(text) ? redactText(text) : maskAll(text));
  }

  #knownNow(): Known {
    if (this.#secrets === undefined) return nothingKnown;
    const present = this.#known?.deref();
    if (present !== undefined) return present;
    const known = knowNothing();
    for (const secret of this.#secrets.values()) {
      for (const [name] of Object.entries(secret.data ?? {})) {
        for (const address of addressesWithin(secretValue(secret, name) ?? "")) known.addresses.add(address);
      }
      for (const form of this.#formsOf(secret)) {
        (form.length < shortestText ? known.short : known.long).add(form);
      }
    }
    this.#known = new WeakRef(known);
    return known;
  }

  #formsOf(secret: Pick<Secret, "data">): readonly string[] {
    return Object.entries(secret.data ?? {}).flatMap(([name, encoded]) => {
      const value = secretValue(secret, name) ?? "";
      if (value.trim().length < shortestValue || this.#isPublic(value)) return [];
      if (isAddress(name, value.trim())) return [];
      const inner = secretsWithin(value).filter((secret) => !this.#isPublic(secret));
      return [...formsOf(value, encoded), ...inner.flatMap((secret) => formsOf(secret))];
    });
  }
}

/** Words that tell where data is, so that it is found in a text; a value that is one of them is no secret. */
const dataNames = new Set(["data", "stringdata", "binarydata"]);

/**
 * What is looked for in the readings of a text to find a value: the value with and without the white space around it, as the
 * Secret has it, and its bytes where they are more than its characters.
 */
export function formsOf(value: string, encoded?: string): readonly string[] {
  const forms = [value, value.trim()].flatMap((text) => [text, ...(isAscii(text) ? [] : bytesOf(text))]);
  return [...new Set([...forms, ...(encoded === undefined ? [] : [encoded])])].filter(
    // A part of the mask itself is no secret, and would never be gone.
    (form) => !redacted.includes(form) && !dataNames.has(form.toLowerCase()),
  );
}

function isAscii(text: string): boolean {
  return !/[^\p{ASCII}]/u.test(text);
}

/** The bytes of a text in UTF-8 and, in either order, in UTF-16, each as one character. */
function bytesOf(text: string): readonly string[] {
  return [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le"), Buffer.from(text, "utf16le").swap16()].map(
    (bytes) => bytes.toString("latin1"),
  );
}
