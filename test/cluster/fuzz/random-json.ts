// Random JSON that is likely to hurt: names that every object inherits, deep and long values, numbers at the edges.

/** A source of numbers from 0 to 1. */
export type RandomNumber = () => number;

/** Numbers that are the same for the same seed. */
export function seededRandom(seed: number): RandomNumber {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of several. */
export function pick<T>(random: RandomNumber, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** A whole number below a limit. */
export function below(random: RandomNumber, limit: number): number {
  return Math.floor(random() * limit);
}

const inherited = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
  "__defineGetter__",
  "then",
  "length",
];
const names = [
  ...inherited,
  "a",
  "b",
  "x.y",
  "a/b",
  "~",
  "",
  "$patch",
  "$ref",
  "name",
  "é",
  "\u0000",
  "0",
  "-1",
];

/** A name of a field. */
export function randomName(random: RandomNumber): string {
  return pick(random, names);
}

/** A value that is no object and no list. */
export function randomScalar(random: RandomNumber): unknown {
  return pick<() => unknown>(random, [
    () => null,
    () => true,
    () => pick(random, [0, -0, 1, -1, 1.5, 1e300, -1e-300, 2 ** 31, 2 ** 53, -(2 ** 63), 65_536]),
    () =>
      pick(random, ["", "a", "A_b", "1", "100m", "1Gi", "-1", "true", "2020-01-01T00:00:00Z", "*/5 * * * *"]),
    () => "x".repeat(below(random, 300)),
    () =>
      pick(random, [
        "\u0000",
        "\ud800",
        "💥",
        "../..",
        "%2e",
        "{{}}",
        "$(x)",
        "a\nb",
        "[[",
        "(?i)x",
        "^(a+)+$",
      ]),
    () => randomName(random),
  ])();
}

/** Any JSON value. */
export function randomJson(random: RandomNumber, depth = 4): unknown {
  if (depth === 0 || random() < 0.4) return randomScalar(random);
  if (random() < 0.03) return deep(random, 1 + below(random, 200));
  if (random() < 0.35) return Array.from({ length: below(random, 4) }, () => randomJson(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: below(random, 4) }, () => [randomName(random), randomJson(random, depth - 1)]),
  );
}

function deep(random: RandomNumber, depth: number): unknown {
  let value = randomScalar(random);
  for (let level = 0; level < depth; level += 1)
    value = random() < 0.5 ? [value] : { [randomName(random)]: value };
  return value;
}

/** The value with some of its parts changed; the given one stays. */
export function mutated(random: RandomNumber, value: unknown, changes: number): unknown {
  let result = value;
  for (let change = 0; change < changes; change += 1) result = mutatedOnce(random, result);
  return result;
}

function mutatedOnce(random: RandomNumber, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random() < 0.08) return randomJson(random);
  if (Array.isArray(value)) {
    const items: unknown[] = [...(value as unknown[])];
    const at = below(random, items.length + 1);
    if (at === items.length)
      return [...items, items.length > 0 && random() < 0.5 ? items[0] : randomJson(random)];
    if (random() < 0.15) return items.toSpliced(at, 1);
    return items.with(at, mutatedOnce(random, items[at]));
  }
  const entries = Object.entries(value);
  const at = below(random, entries.length + 1);
  const [name, child] = entries[at] ?? [randomName(random), undefined];
  if (child === undefined) return Object.fromEntries([...entries, [name, randomJson(random)]]);
  if (random() < 0.12) return Object.fromEntries(entries.toSpliced(at, 1));
  return Object.fromEntries(entries.with(at, [name, mutatedOnce(random, child)]));
}

/** The text with some of its characters removed, doubled or replaced. */
export function garbled(random: RandomNumber, text: string): string {
  let result = text;
  for (let change = 0; change <= below(random, 3); change += 1) {
    const at = below(random, result.length + 1);
    const insert = pick(random, [
      "",
      "{",
      "}",
      "[",
      "]",
      '"',
      ",",
      ":",
      "\\",
      "\u0000",
      "&a ",
      "*a",
      "---\n",
      "1e999",
      " ",
    ]);
    result = result.slice(0, at) + insert + result.slice(at + below(random, 3));
  }
  return result;
}

/** A pointer into a value, or past it. */
export function randomPointer(random: RandomNumber, value: unknown): string {
  let pointer = "";
  let at = value;
  while (random() < 0.85) {
    const keys = typeof at === "object" && at !== null ? Object.keys(at) : [];
    const key =
      keys.length > 0 && random() < 0.8
        ? pick(random, keys)
        : pick(random, ["-", "0", "-1", randomName(random)]);
    pointer += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    at =
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined;
  }
  return pointer;
}
