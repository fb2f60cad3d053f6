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
import { formsOf, isAddress } from "./secret-forms.ts";

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
