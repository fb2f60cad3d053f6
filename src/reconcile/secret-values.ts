// Keeps the data of Secrets that a reconcile has read out of what people are shown: conditions, Kubernetes Events, logs.
// Authors put what they read into the texts of their errors; whoever may see a condition need not be allowed to read the
// Secret. Fed by what a run reads; asked by whatever makes a text for people.
import { secretValue, type Secret } from "../kinds/builtin/secret.ts";
import type { KubeObject } from "../meta/object.ts";
import { redacted, redactText } from "../meta/secret-text.ts";
import { BoundedMap } from "../collections/bounded-map.ts";

/** Shorter values are no secrets, and would be found in every text. */
const shortestValue = 4;
/** Characters in a row that a text must share with a longer value to be taken for a piece of it. */
const shortestPiece = 12;

/** States of Secrets kept for one custom resource; the oldest are forgotten first. */
const maxSecrets = 64;

/** The Secrets that were read for one custom resource. Their values are worked out only when there is a text to look through. */
export class SecretValues {
  readonly #secrets = new BoundedMap<string, Pick<Secret, "data">>(maxSecrets);
  readonly #known: ReadonlySet<string>;

  /** `known` are words that are no secret whatever a Secret says, as the custom resource's name. */
  constructor(known: readonly string[] = []) {
    this.#known = new Set(known);
  }

  /** Notes an object that was read; what is no Secret is passed over. */
  note(object: KubeObject | undefined): void {
    if (object?.kind !== "Secret" || object.apiVersion !== "v1") return;
    const { uid, resourceVersion } = object.metadata;
    this.#secrets.set(`${uid}@${resourceVersion}`, object as KubeObject & Pick<Secret, "data">);
  }

  /** A text without the values, nor the data of Secrets that it quotes. */
  mask(text: string): string {
    return this.masker()(text);
  }

  /** The same for many texts: it knows what was read so far. */
  masker(): (text: string) => string {
    const values = [...new Set(this.#secrets.values().flatMap((secret) => this.#valuesOf(secret)))];
    // The longest first, as one value may be a part of another.
    const masks = values.sort((one, other) => other.length - one.length).map(valueMask);
    return (text) => masks.reduce((masked, mask) => mask(masked), redactText(text));
  }

  #valuesOf(secret: Pick<Secret, "data">): readonly string[] {
    return Object.entries(secret.data ?? {}).flatMap(([name, encoded]) => {
      const value = secretValue(secret, name) ?? "";
      if (value.trim().length < shortestValue || this.#known.has(value)) return [];
      const forms = [
        value,
        value.trim(),
        JSON.stringify(value).slice(1, -1),
        encodeURIComponent(value),
        encoded,
      ];
      return [...new Set(forms)];
    });
  }
}

/** Masks a value, and every piece of it that is long enough to tell something. */
function valueMask(value: string): (text: string) => string {
  let pieces: ReadonlySet<string> | undefined;
  return (text) => {
    const whole = text.replaceAll(value, redacted);
    if (value.length <= shortestPiece || whole.length < shortestPiece) return whole;
    pieces ??= piecesOf(value);
    let [result, kept] = ["", 0];
    for (let at = 0; at + shortestPiece <= whole.length; at += 1) {
      let end = at + shortestPiece;
      if (!pieces.has(whole.slice(at, end))) continue;
      while (end < whole.length && pieces.has(whole.slice(end - shortestPiece + 1, end + 1))) end += 1;
      result += whole.slice(kept, at) + redacted;
      kept = end;
      at = end - 1;
    }
    return result + whole.slice(kept);
  };
}

function piecesOf(value: string): ReadonlySet<string> {
  const pieces = new Set<string>();
  for (let at = 0; at + shortestPiece <= value.length; at += 1)
    pieces.add(value.slice(at, at + shortestPiece));
  return pieces;
}

/** The error with another text when its own says too much; the same error otherwise. */
export function maskError<T extends Error>(error: T, mask: (text: string) => string): T {
  const message = mask(error.message);
  const { cause } = error;
  if (message === error.message && !(cause instanceof Error && mask(cause.message) !== cause.message))
    return error;
  const masked: unknown = Object.create(error, {
    message: { value: message, enumerable: false },
    // It holds the message again.
    stack: { value: error.stack === undefined ? undefined : mask(error.stack), enumerable: false },
    cause: { value: cause instanceof Error ? maskError(cause, mask) : undefined, enumerable: false },
  });
  return masked as T;
}

/** A status without such values in its messages, wherever they are; the same value when nothing is masked. */
export function maskMessages(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const masked = Object.entries(value).map(([name, each]: [string, unknown]) => {
    const next = name === "message" && typeof each === "string" ? mask(each) : maskMessages(each, mask);
    changed ||= next !== each;
    return [name, next] as const;
  });
  if (!changed) return value;
  return Array.isArray(value) ? masked.map(([, each]) => each) : Object.fromEntries(masked);
}
