// What the schemas of options are made of. Each says what it accepts, and knows what to say to an author who wrote something
// else; zod's own sentences do not say what to do. Read by option-problems.ts.
import { z } from "zod";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import { isOperatorError } from "../ports/operator-error.ts";

/** What is said of a value that a schema does not accept. */
export interface Hint {
  /** Completes "…, but must be". */
  readonly expected?: string;
  /** What to write instead. */
  readonly remedy?: string;
  /** What to write where there is nothing. */
  readonly missing?: string;
  /** Default `OPTION_INVALID`. */
  readonly code?: string;
}

const hints = new WeakMap<z.core.$ZodType, Hint>();

/** The hints of a schema. */
export function hintOf(schema: z.core.$ZodType): Hint {
  return hints.get(schema) ?? {};
}

/** A schema of its own that accepts the same, with further hints. */
export function hinted<TSchema extends z.ZodType>(schema: TSchema, hint: Hint): TSchema {
  const copy = schema.clone();
  hints.set(copy, { ...hintOf(schema), ...hint });
  return copy;
}

/** Not left out; the sentence says what to write. */
export function required<TSchema extends z.ZodType>(schema: TSchema, missing: string): TSchema {
  return hinted(schema, { missing });
}

/**
 * What zod cannot look into: a function, or an object that is known by what it can do. Typed as `never`, which fits any
 * such option.
 */
export function valueOf(accepts: (value: unknown) => boolean, hint: Hint): z.ZodType<never> {
  return hinted(z.custom<never>(accepts), hint);
}

/** A function. */
export const callable = valueOf((value) => typeof value === "function", {
  expected: "a function",
  remedy: "Give it a function.",
});

/** An object with these functions. */
export function having(names: readonly string[], what: string, remedy: string): z.ZodType<never> {
  return valueOf(
    (value) =>
      ((typeof value === "object" && value !== null) || typeof value === "function") &&
      names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function"),
    { expected: `${what}, with the functions ${names.join(", ")}`, remedy },
  );
}

/** A logger. */
export const logger = having(
  ["child", "debug", "info", "warn", "error"],
  "a logger",
  'Make it by createLogger({ level: "info", destination: process.stderr }), or give it pino\'s.',
);

/** A clock. */
export const clock = having(
  ["now", "setTimeout", "clearTimeout"],
  "a clock",
  "Give it systemClock, or leave it out.",
);

/** An object of any content. */
export function anyObject(remedy: string): z.ZodType<never> {
  return valueOf((value) => typeof value === "object" && value !== null, { expected: "an object", remedy });
}

/** A text that is not empty. */
export const text: z.ZodType<string> = hinted(z.string().min(1), {
  expected: "a text that is not empty",
  remedy: "Write a text, in quotes.",
});

/** True or false. */
export const flag: z.ZodType<boolean> = hinted(z.boolean(), {
  expected: "true or false",
  remedy: "Write true or false, without quotes.",
});

/** A whole number within limits, both included. */
export function whole(from: number, to = Number.MAX_SAFE_INTEGER, unit = ""): z.ZodType<number> {
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  return hinted(z.int().min(from).max(to), {
    expected: `a whole number${unit === "" ? "" : ` of ${unit}`} ${range}`,
    remedy: `Write a number ${range}, without quotes.`,
  });
}

/** One of some words. */
export function oneOf<const TWord extends string>(...words: readonly TWord[]): z.ZodType<TWord> {
  return hinted(z.enum(words), { expected: `one of ${words.join(", ")}`, remedy: "Write one of them." });
}

/** Whether a value is a duration of at least so many milliseconds. */
function isDuration(value: unknown, least = 0): boolean {
  try {
    return toMilliseconds(value as Duration) >= least;
  } catch (error: unknown) {
    if (isOperatorError(error, "DURATION_INVALID")) return false;
    throw error;
  }
}

const durationHint: Hint = {
  code: "DURATION_INVALID",
  remedy: 'Write a number of milliseconds, or a number with a unit, for instance "90s", "10m" or "1h30m".',
};

/** A duration above zero. */
export const duration: z.ZodType<Duration> = hinted(
  z.custom<Duration>((value) => isDuration(value, Number.MIN_VALUE)),
  { ...durationHint, expected: "a duration above 0" },
);

/** A duration, which may be no time at all. */
export const durationFromZero: z.ZodType<Duration> = hinted(
  z.custom<Duration>((value) => isDuration(value)),
  { ...durationHint, expected: "a duration" },
);

/** A duration, or a function that returns one. */
export const durationOrFunction = valueOf((value) => typeof value === "function" || isDuration(value), {
  ...durationHint,
  expected: "a duration, or a function that returns one",
});

/** What is made of values that are typed as `never` is typed so, too. */
type Of<T, TWhole> = [T] extends [never] ? never : TWhole;

/** What one of two schemas accepts; of a value that has the outer form of one, it is said what that one expects. */
export function either<A, B>(
  one: z.ZodType<A>,
  other: z.ZodType<B>,
  hint: Hint,
): z.ZodType<Of<A, Of<B, A | B>>> {
  return hinted(z.union([one, other]), hint) as unknown as z.ZodType<Of<A, Of<B, A | B>>>;
}

/** `false`, or the object that the schema accepts. */
export function falseOr<T>(schema: z.ZodType<T>): z.ZodType<Of<T, T | false>> {
  return either(z.literal(false), schema, {
    expected: "false or an object",
    remedy: "Write false, or an object: { name: value }.",
  });
}

/** A list, each item of which the schema accepts. */
export function listOf<T>(schema: z.ZodType<T>): z.ZodType<Of<T, readonly T[]>> {
  const list = hinted(z.array(schema), { expected: "a list", remedy: "Write a list: […]." });
  return list as unknown as z.ZodType<Of<T, readonly T[]>>;
}

const object: Hint = { expected: "an object", remedy: "Write an object: { name: value }." };

/** An object whose names are the author's own; the schema accepts each value. */
export function recordOf<T>(schema: z.ZodType<T>): z.ZodType<Of<T, Readonly<Record<string, T>>>> {
  const record = hinted(z.record(z.string(), schema), object);
  return record as unknown as z.ZodType<Of<T, Readonly<Record<string, T>>>>;
}

/** A schema for each option of a type: for an optional one it is optional. */
export type OptionShape<TOptions> = {
  readonly [TName in keyof Required<TOptions>]: z.ZodType<TOptions[TName]>;
};

/** The schemas that accept all that the type does; `never` in place of the others. */
type Accepting<TShape, TOptions> = {
  readonly [TName in keyof TShape]: TName extends keyof TOptions
    ? Accepts<TShape[TName], TOptions[TName]> extends true
      ? TShape[TName]
      : never
    : never;
};

type Accepts<TSchema, T> = undefined extends T
  ? undefined extends z.output<TSchema>
    ? AcceptsValue<Exclude<z.output<TSchema>, undefined>, Exclude<T, undefined>>
    : false
  : AcceptsValue<z.output<TSchema>, T>;

type AcceptsValue<TOutput, T> = [TOutput] extends [never] ? true : [T] extends [TOutput] ? true : false;

/**
 * The options of a type, and no others: `optionsOf<RetryOptions>()({ attempts: whole(1), delay: duration.optional() })`.
 * The compiler refuses a schema for an option that is missing, unknown, or accepts more or less than the type.
 */
export function optionsOf<TOptions extends object>() {
  return <const TShape extends OptionShape<TOptions>>(
    shape: TShape & Accepting<TShape, TOptions>,
  ): z.ZodType<TOptions> =>
    hinted(z.strictObject(shape as z.ZodRawShape), object) as unknown as z.ZodType<TOptions>;
}
