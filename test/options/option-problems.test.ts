// What is found in options that no compiler has seen, and what the compiler finds in their schemas.
import { describe, expect, it } from "vitest";
import { optionProblems } from "../../src/options/option-problems.ts";
import {
  callable,
  duration,
  falseOr,
  flag,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  required,
  text,
  whole,
} from "../../src/options/option-schemas.ts";
import type { Duration } from "../../src/ports/duration.ts";

interface Retry {
  readonly attempts: number;
  readonly delay?: Duration;
}

interface BrewOptions {
  readonly name: string;
  readonly size?: "small" | "large";
  readonly hot?: boolean;
  readonly cups?: readonly { readonly label: string }[];
  readonly retries?: Readonly<Record<string, Retry>>;
  readonly limits?: Retry | false;
  readonly onDone?: () => void;
}

const retry = optionsOf<Retry>()({
  attempts: required(whole(1, 9, "tries"), "Write how often."),
  delay: duration.optional(),
});

const brew = optionsOf<BrewOptions>()({
  name: required(text, "Give it a name."),
  size: oneOf("small", "large").optional(),
  hot: flag.optional(),
  cups: listOf(optionsOf<{ readonly label: string }>()({ label: text })).optional(),
  retries: recordOf(retry).optional(),
  limits: falseOr(retry).optional(),
  onDone: callable.optional(),
});

/** `CODE option: message (remedy)` of each finding. */
function findings(options: unknown): string[] {
  return optionProblems(brew, options, "brew").map(
    ({ code, option, message, remedy }) => `${code} ${option ?? "-"}: ${message} (${remedy})`,
  );
}

describe("options that are as they should be", () => {
  it.each<[string, BrewOptions]>([
    ["the least", { name: "tea" }],
    ["false for an object", { name: "tea", limits: false }],
    ["an object for false", { name: "tea", limits: { attempts: 9, delay: "1m" } }],
    [
      "all",
      {
        name: "tea",
        size: "small",
        hot: true,
        cups: [{ label: "mine" }],
        retries: { boil: { attempts: 1 }, "": { attempts: 2 } },
        onDone: () => undefined,
      },
    ],
    ["undefined for what is left out", { name: "tea", size: undefined, limits: undefined } as never],
  ])("have no finding: %s", (_, options) => {
    expect(findings(options)).toEqual([]);
  });
});

describe("a finding in options", () => {
  it.each<[string, object, string]>([
    [
      "a misspelt name",
      { siez: "small" },
      'OPTION_UNKNOWN siez: brew has no option "siez", so it would be ignored (Did you mean "size"? Known are: name, size, hot, cups, retries, limits, onDone.)',
    ],
    [
      "a misspelt name inside a list",
      { cups: [{ label: "a" }, { label: "b", lable: "c" }] },
      'OPTION_UNKNOWN cups[1].lable: cups[1] has no option "lable", so it would be ignored (Did you mean "label"? Known are: label.)',
    ],
    [
      "a misspelt name beside a value that may be false",
      { limits: { attempts: 1, dealy: "1s" } },
      'OPTION_UNKNOWN limits.dealy: limits has no option "dealy", so it would be ignored (Did you mean "delay"? Known are: attempts, delay.)',
    ],
    [
      "a word that is nearly one of the words",
      { size: "lareg" },
      'OPTION_INVALID size: size is "lareg", but must be one of small, large (Write "large".)',
    ],
    [
      "another word",
      { size: "huge" },
      'OPTION_INVALID size: size is "huge", but must be one of small, large (Write one of them.)',
    ],
    [
      "a number that is too large",
      { retries: { boil: { attempts: 10 } } },
      "OPTION_INVALID retries.boil.attempts: retries.boil.attempts is 10, but must be a whole number of tries from 1 to 9 (Write a number from 1 to 9, without quotes.)",
    ],
    [
      "a number that breaks two rules, once",
      { limits: { attempts: 0.5 } },
      "OPTION_INVALID limits.attempts: limits.attempts is 0.5, but must be a whole number of tries from 1 to 9 (Write a number from 1 to 9, without quotes.)",
    ],
    [
      "a duration inside a value that may be false",
      { limits: { attempts: 1, delay: "soon" } },
      'DURATION_INVALID limits.delay: limits.delay is "soon", but must be a duration above 0 (Write a number of milliseconds, or a number with a unit, for instance "90s", "10m" or "1h30m".)',
    ],
    [
      "true where false or an object may be",
      { limits: true },
      "OPTION_INVALID limits: limits is true, but must be false or an object (Write false, or an object: { name: value }.)",
    ],
    [
      "nothing inside a record",
      { retries: { boil: undefined } },
      "OPTION_MISSING retries.boil: retries.boil is missing (Give it a value, or leave it out.)",
    ],
    [
      "an empty text",
      { name: "" },
      'OPTION_INVALID name: name is "", but must be a text that is not empty (Write a text, in quotes.)',
    ],
  ])("says where, what, and what to do: %s", (_, options, expected) => {
    expect(findings({ name: "tea", ...options })).toEqual([expected]);
  });

  it("says what is missing", () => {
    expect(findings({})).toEqual(["OPTION_MISSING name: name is missing (Give it a name.)"]);
  });

  it.each([
    [null, "null"],
    ["tea", '"tea"'],
    [[], "a list"],
  ])("is about the whole where the whole is no object: %j", (options, shown) => {
    expect(findings(options)).toEqual([
      `OPTION_INVALID -: the options of brew are ${shown}, but must be an object (Write an object: { name: value }.)`,
    ]);
  });

  it("does not keep the others back", () => {
    const options = { siez: 1, hott: 2, hot: "yes", cups: [{ label: 1 }, 2], retries: { a: {}, b: 1 } };
    const found = optionProblems(brew, options, "brew").map(({ code, option }) => `${code} ${option}`);
    expect(found.toSorted()).toEqual([
      "OPTION_INVALID cups[0].label",
      "OPTION_INVALID cups[1]",
      "OPTION_INVALID hot",
      "OPTION_INVALID retries.b",
      "OPTION_MISSING name",
      "OPTION_MISSING retries.a.attempts",
      "OPTION_UNKNOWN hott",
      "OPTION_UNKNOWN siez",
    ]);
  });
});

describe("the schemas of a type's options", () => {
  it("are held to the type by the compiler", () => {
    const attempts = whole(1);
    // @ts-expect-error delay has no schema
    optionsOf<Retry>()({ attempts });
    // @ts-expect-error the type has no option of this name
    optionsOf<Retry>()({ attempts, delay: duration.optional(), dealy: duration.optional() });
    // @ts-expect-error attempts cannot be left out
    optionsOf<Retry>()({ attempts: attempts.optional(), delay: duration.optional() });
    // @ts-expect-error delay can be left out
    optionsOf<Retry>()({ attempts, delay: duration });
    // @ts-expect-error a delay may be a number, too
    optionsOf<Retry>()({ attempts, delay: text.optional() });
    // @ts-expect-error attempts is not a text
    optionsOf<Retry>()({ attempts: text, delay: duration.optional() });
    // @ts-expect-error small is a size, too
    optionsOf<Pick<BrewOptions, "size">>()({ size: oneOf("large").optional() });
    // @ts-expect-error huge is no size
    optionsOf<Pick<BrewOptions, "size">>()({ size: oneOf("small", "large", "huge").optional() });
    expect.assertions(0);
  });
});
