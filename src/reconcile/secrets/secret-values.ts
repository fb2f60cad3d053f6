// Keeps the data of Secrets that a reconcile has read out of what people are shown: conditions, Kubernetes Events, logs.
// Authors put what they read into the texts of their errors; whoever may see a condition need not be allowed to read the
// Secret. Fed by what a run reads; asked by whatever makes a text for people.
import type { Secret } from "../../kinds/builtin/core.ts";
import { secretValue } from "../../kinds/builtin/secret-value.ts";
import type { KubeObject } from "../../meta/object.ts";
import { redacted, redactText } from "../../meta/secret-text.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { placesOf, replaceSpans, type Span } from "../../collections/text-spans.ts";
import { noSecrets, type SecretKeeper } from "../../ports/secret-keeper.ts";
import { formsOf } from "./secret-forms.ts";

/** Shorter values are no secrets, and would be found in every text. */
const shortestValue = 4;
/** Characters in a row that a text must share with a longer value to be taken for a piece of it. */
const shortestPiece = 12;

/** States of Secrets kept for one custom resource; the oldest are forgotten first. */
const maxSecrets = 64;

/** The Secrets that were read for one custom resource. Their values are worked out only when there is a text to look through. */
export class SecretValues {
  readonly #secrets = new BoundedMap<string, Pick<Secret, "data">>(maxSecrets);
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
    this.#secrets.set(`${uid}@${resourceVersion}`, object as KubeObject & Pick<Secret, "data">);
  }

  /** A text without the values, nor the data of Secrets that it quotes. */
  mask(text: string): string {
    return this.masker()(text);
  }

  /** The same for many texts: it knows what was read so far. */
  masker(): (text: string) => string {
    const values = new Set(this.#secrets.values().flatMap((secret) => this.#valuesOf(secret)));
    const finders = [...values].map(valueFinder);
    return (text) => {
      // All are looked for in the same text: what one has left of another would not be found any more.
      const spans = [...finders.flatMap((find) => find(text)), ...this.#keeper.find(text, this.#isPublic)];
      return redactText(replaceSpans(text, spans, redacted));
    };
  }

  #valuesOf(secret: Pick<Secret, "data">): readonly string[] {
    return Object.entries(secret.data ?? {}).flatMap(([name, encoded]) => {
      const value = secretValue(secret, name) ?? "";
      if (value.trim().length < shortestValue || this.#isPublic(value)) return [];
      return formsOf(value, encoded);
    });
  }
}

/** Finds a value, and every piece of it that is long enough to tell something. */
function valueFinder(value: string): (text: string) => readonly Span[] {
  let pieces: ReadonlySet<string> | undefined;
  return (text) => {
    const spans = [...placesOf(value, text)];
    if (value.length <= shortestPiece || text.length < shortestPiece) return spans;
    pieces ??= piecesOf(value);
    for (let start = 0; start + shortestPiece <= text.length; start += 1) {
      let end = start + shortestPiece;
      if (!pieces.has(text.slice(start, end))) continue;
      while (end < text.length && pieces.has(text.slice(end - shortestPiece + 1, end + 1))) end += 1;
      spans.push({ start, end });
      start = end - shortestPiece;
    }
    return spans;
  };
}

function piecesOf(value: string): ReadonlySet<string> {
  const pieces = new Set<string>();
  for (let at = 0; at + shortestPiece <= value.length; at += 1)
    pieces.add(value.slice(at, at + shortestPiece));
  return pieces;
}
