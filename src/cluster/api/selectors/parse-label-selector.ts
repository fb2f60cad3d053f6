// Reads the text of `labelSelector`: a recursive descent over its words, refusing what Kubernetes refuses in its words.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
import { invalidValue } from "../../../schema/status-cause.ts";
import { labelValueFault, qualifiedNameFault } from "../../../meta/name-rules.ts";
import { badRequest } from "../status-error.ts";
import { isInteger, type LabelRequirement } from "./label-selector.ts";

const symbols = new Set(["==", "!=", "=", "!", "(", ")", ",", "<", ">"]);
const binaryOperators = {
  in: "in",
  notin: "notin",
  "=": "in",
  "==": "in",
  "!=": "notin",
  ">": "gt",
  "<": "lt",
} as const;

/** Reads the text of `labelSelector`. Errors: 400. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return new Reader(text).read();
}

class Reader {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
  }

  read(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#at < this.#words.length) {
      if (this.#next !== "!" && !isIdentifier(this.#next)) {
        throw badRequest(`found '${this.#next}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#readRequirement());
      const separator = this.#take();
      if (separator === "") break;
      if (separator !== ",") throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      if (this.#next !== "!" && !isIdentifier(this.#next)) {
        throw badRequest(`found '${this.#next}', expected: identifier after ','`);
      }
    }
    return requirements;
  }

  /** The word that comes next; empty at the end. */
  get #next(): string {
    return this.#words[this.#at] ?? "";
  }

  #take(): string {
    const word = this.#next;
    this.#at += 1;
    return word;
  }

  #readRequirement(): LabelRequirement {
    const isNegated = this.#next === "!";
    if (isNegated) this.#take();
    const key = this.#take();
    if (!isIdentifier(key)) throw unparsable(`found '${key}', expected: identifier`);
    const fault = qualifiedNameFault(key);
    if (fault !== undefined) throw unparsable(`<nil>: ${invalidValue("", key, fault).message}`);
    if (isNegated) return { key, operator: "!", values: [] };
    if (this.#next === "" || this.#next === ",") return { key, operator: "exists", values: [] };
    const word = this.#take();
    if (!isBinaryOperator(word)) {
      throw unparsable(`found '${word}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const operator = binaryOperators[word];
    const values = word === "in" || word === "notin" ? this.#readValues() : [this.#readValue()];
    const requirement = { key, operator, values: [...new Set(values)].sort() };
    assertValues(requirement);
    return requirement;
  }

  #readValue(): string {
    if (this.#next === "" || this.#next === ",") return "";
    const word = this.#take();
    if (!isIdentifier(word)) throw unparsable(`found '${word}', expected: identifier`);
    return word;
  }

  /** The values in brackets; one that is left out is empty. */
  #readValues(): string[] {
    const open = this.#take();
    if (open !== "(") throw unparsable(`found '${open}' expected: '('`);
    const values: string[] = [];
    if (this.#next === ")") {
      this.#take();
      return [""];
    }
    if (this.#next !== "," && !isIdentifier(this.#next)) {
      throw unparsable(`found '${this.#next}', expected: ',', ')' or identifier`);
    }
    let word = ",";
    while (word === ",") {
      values.push(isIdentifier(this.#next) ? this.#take() : "");
      word = this.#take();
    }
    if (word !== ")") throw unparsable(`found '${word}', expected: ',' or ')'`);
    return values;
  }
}

function isIdentifier(word: string): boolean {
  return word !== "" && !symbols.has(word);
}

function isBinaryOperator(word: string): word is keyof typeof binaryOperators {
  return Object.hasOwn(binaryOperators, word);
}

function assertValues({ key, operator, values }: LabelRequirement): void {
  if (values.length === 0) {
    throw invalid("values", [], "for 'in', 'notin' operators, values set can't be empty");
  }
  for (const [index, value] of values.entries()) {
    if ((operator === "gt" || operator === "lt") && !isInteger(value)) {
      throw invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    const fault = labelValueFault(value);
    if (fault !== undefined) throw invalid(`values[${index}][${key}]`, value, fault);
  }
}

function invalid(place: string, value: unknown, detail: string): Error {
  return unparsable(`${place}: ${invalidValue("", value, detail).message}`);
}

function unparsable(detail: string): Error {
  return badRequest(`unable to parse requirement: ${detail}`);
}
