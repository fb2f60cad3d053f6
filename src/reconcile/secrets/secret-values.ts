// Keeps the data of Secrets that a reconcile has read out of what people are shown: conditions, Kubernetes Events, logs.
// Authors put what they read into the texts of their errors; whoever may see a condition need not be allowed to read the
// Secret. Fed by what a run reads; asked by whatever makes a text for people.
import type { Secret } from "../../kinds/builtin/core.ts";
import { secretValue } from "../../kinds/builtin/secret-value.ts";
import type { KubeObject } from "../../meta/object.ts";
import { maskStart, redacted, redactText } from "../../meta/secret-text.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { shortestText, TextFinder } from "../../collections/text-finder.ts";
import { placesOf, replaceSpans } from "../../collections/text-spans.ts";
import { noSecrets, type SecretKeeper } from "../../ports/secret-keeper.ts";

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
  readonly finder: TextFinder;
  /** Forms that are too short for the finder. */
  readonly short: ReadonlySet<string>;
}

/** Of those who have read no Secret, which are most. */
const nothingKnown: Known = { finder: new TextFinder({ limit: maxForms, denseUpTo }), short: new Set() };

/** The Secrets that were read for one custom resource. Their values are worked out only when there is a text to look through. */
export class SecretValues {
  readonly #secrets = new BoundedMap<string, Pick<Secret, "data">>(maxSecrets);
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
    const { finder, short } = this.#knownNow();
    return (text) => {
      // All are looked for in the same text: what one has left of another would not be found any more.
      const spans = [
        ...[...short].flatMap((form) => [...placesOf(form, text)]),
        ...finder.find(text),
        ...this.#keeper.find(text, this.#isPublic),
      ];
      return redactText(replaceSpans(text, spans, redacted));
    };
  }

  #knownNow(): Known {
    if (this.#secrets.size === 0) return nothingKnown;
    const present = this.#known?.deref();
    if (present !== undefined) return present;
    const finder = new TextFinder({ limit: maxForms, denseUpTo });
    const short = new Set<string>();
    for (const secret of this.#secrets.values()) {
      for (const form of this.#formsOf(secret)) {
        if (form.length < shortestText) short.add(form);
        else finder.add(form);
      }
    }
    const known = { finder, short };
    this.#known = new WeakRef(known);
    return known;
  }

  #formsOf(secret: Pick<Secret, "data">): readonly string[] {
    return Object.entries(secret.data ?? {}).flatMap(([name, encoded]) => {
      const value = secretValue(secret, name) ?? "";
      if (value.trim().length < shortestValue || this.#isPublic(value)) return [];
      return isAddress(name, value.trim()) ? [] : formsOf(value, encoded);
    });
  }
}

/** Words that tell where data is, so that it is found in a text; a value that is one of them is no secret. */
const dataNames = new Set(["data", "stringdata", "binarydata"]);

/** Longer values are certificates and files: nobody sends them in a header or writes them into a statement. */
const longestQuoted = 256;

/**
 * The forms of a value: with and without the white space around it, as it is, as the Secret has it, within JSON that may
 * itself be quoted in JSON, and within a URL; a short one also within XML, SQL and shell commands, in hexadecimal digits, and
 * within the base64 of a longer text (a Basic header).
 */
export function formsOf(value: string, encoded: string): readonly string[] {
  const forms = [value, value.trim()].flatMap((text) => [
    text,
    ...jsonFormsOf(text),
    ...urlFormsOf(text),
    ...(text.length > longestQuoted ? [] : [...markupFormsOf(text), ...binaryFormsOf(text)]),
  ]);
  return [...new Set([...forms, encoded])].filter(
    // A part of the mask itself is no secret, and would never be gone.
    (form) => !redacted.includes(form) && !dataNames.has(form.toLowerCase()),
  );
}

/** The last word of a field's name that says where something is. */
const addressName = /(?:^|[-_.])(?:host(?:name)?s?|ports?)$/;
const port = /^\d{1,5}$/;
const hostName = /^\[?[a-z0-9](?:[a-z0-9.:-]{0,253}[a-z0-9])?\]?$/i;

/** Whether a field of a Secret says where something is: a host or a port, which messages about it must be able to name. */
export function isAddress(name: string, value: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  return addressName.test(words) && (port.test(value) || hostName.test(value));
}

function markupFormsOf(value: string): readonly string[] {
  const xml = value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return [
    xml,
    xml.replace(/"/g, "&quot;").replace(/'/g, "&apos;"),
    xml.replace(/"/g, "&#34;").replace(/'/g, "&#39;"),
    // SQL doubles a quote, or puts a backslash before it; a shell leaves the quotes for it.
    value.replace(/'/g, "''"),
    value.replace(/[\\']/g, "\\$&"),
    value.replace(/'/g, `'\\''`),
    value.replace(/'/g, `'"'"'`),
  ];
}

/** Bytes that a piece of base64 or of hexadecimal digits must stand for to tell something. */
const shortestBytes = 6;

function binaryFormsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  if (bytes.length < shortestBytes) return [];
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((before) => insideBase64(bytes, before))];
}

/**
 * What base64 makes of bytes that so many others (modulo 3) come before: the characters that depend on these bytes alone, in
 * both alphabets. RFC 4648, sections 4 and 5.
 */
function insideBase64(bytes: Buffer, before: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor(((before + bytes.length) * 8) / 6);
  const inside = text.slice(first, last);
  return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
}

function jsonFormsOf(value: string): readonly string[] {
  const once = quoted(value);
  return [once, quoted(once)];
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As one part of a URL, with either case of its digits; as a field of a form; and as a password before the host. */
function urlFormsOf(value: string): readonly string[] {
  try {
    const part = encodeURIComponent(value);
    const url = new URL("http://host");
    url.password = value;
    return [part, part.replace(/%../g, (code) => code.toLowerCase()), toFormField(value), url.password];
  } catch {
    // Half a character.
    return [];
  }
}

function toFormField(value: string): string {
  return new URLSearchParams({ "": value }).toString().slice(1);
}
