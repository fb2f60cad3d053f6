// What all random operations draw from one source of random numbers: choices, values of fields, versions, queries.
import { below, pick, type RandomNumber } from "../../cluster/fuzz/random-json.ts";
import { filled, identityOf, objectOf, type FieldValue, type Place } from "./operation.ts";
import { metadataFields, type FieldChoices, type Fields, type RandomKind } from "./random-kind.ts";

/** The managers of fields. */
const managers = ["alpha", "beta", "gamma"];

/** Draws parts of operations. */
export class Drawing {
  readonly #random: RandomNumber;

  constructor(random: RandomNumber) {
    this.#random = random;
  }

  pick<T>(choices: readonly T[]): T {
    return pick(this.#random, choices);
  }

  below(limit: number): number {
    return below(this.#random, limit);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  /** A number from 0 to 1. */
  roll(): number {
    return this.#random();
  }

  manager(): string {
    return this.pick(managers);
  }

  /** An object with some fields changed from the sample. */
  object(place: Place, changes: number): Fields {
    const start = { ...identityOf(place), ...place.kind.sample };
    return filled(start, this.values(this.choicesOf(place.kind), changes, false));
  }

  choicesOf(kind: RandomKind): readonly FieldChoices[] {
    return this.chance(0.3) ? metadataFields : kind.fields;
  }

  /** Values for some of the fields. */
  values(choices: readonly FieldChoices[], count: number, mayRemove: boolean): FieldValue[] {
    return Array.from({ length: count }, () => {
      const { path, right, wrong = [] } = this.pick(choices);
      if (mayRemove && this.chance(0.12)) return { path, value: undefined };
      const from = (this.chance(0.12) && wrong.length > 0) || right.length === 0 ? wrong : right;
      return { path, value: from.length === 0 ? undefined : this.pick(from) };
    });
  }

  /** A version of the object: mostly one that it has or had. */
  version(place: Place): string | undefined {
    const of = objectOf(place);
    return this.pick([
      `@version(${of},0)`,
      `@version(${of},0)`,
      `@version(${of},1)`,
      "1",
      "x",
      "",
      undefined,
    ]);
  }

  /** A path with some of the parameters that it may have. */
  query(path: string, allowed: readonly ("dryRun" | "fieldManager" | "fieldValidation")[]): string {
    const parts: string[] = [];
    if (allowed.includes("dryRun") && this.chance(0.08)) parts.push("dryRun=All");
    if (allowed.includes("fieldManager") && this.chance(0.6)) parts.push(`fieldManager=${this.manager()}`);
    if (allowed.includes("fieldValidation") && this.chance(0.25)) {
      parts.push(`fieldValidation=${this.pick(["Strict", "Warn", "Ignore"])}`);
    }
    return parts.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${parts.join("&")}`;
  }

  agent(): { readonly userAgent?: string } {
    return this.chance(0.2) ? { userAgent: `${this.manager()}/v1` } : {};
  }
}
