// What a text may say to somebody who decodes it: in URLs, JSON, markup, base64 and digits, also within each other. Whatever is
// to be kept out of a text is looked for in each reading, and its place in the text is worked out only when it was found. Pure.
import type { Span } from "./text-spans.ts";

/** A text, decoded. */
export interface Reading {
  readonly text: string;
  /** Bytes, each as one character: what is found in few of them may be there by chance. */
  readonly isBinary: boolean;
  /** The part of the original text that says what stands in this part of the reading. */
  origin(span: Span): Span;
}

/** Encodings within each other that are undone. */
const levels = 2;

/**
 * The text as it is, and decoded in each order of two encodings. Each reading is made in a time that grows with the text, and
 * their number has a limit: encodings of which the text shows no sign are passed over.
 */
export function readingsOf(text: string): Generator<Reading> {
  return decoded({ text, isBinary: false, origin: (span) => span }, levels, new Map());
}

/** The parts of a text in which something is found, in whatever reading. */
export function findEncoded(text: string, find: (reading: Reading) => Iterable<Span>): readonly Span[] {
  const found: Span[] = [];
  for (const reading of readingsOf(text)) {
    for (const span of find(reading)) found.push(reading.origin(span));
  }
  return found;
}

function* decoded(reading: Reading, depth: number, seen: Map<string, number>): Generator<Reading> {
  // In whichever order an escape and another one are undone, mostly the same is left.
  if ((seen.get(reading.text) ?? -1) >= depth) return;
  seen.set(reading.text, depth);
  yield reading;
  // UTF-16 of ASCII is part of what it stands in, as in PowerShell's commands: it is no level of its own.
  if (reading.text.includes("\0") && isUtf16.test(reading.text))
    yield* decoded(unescaped(reading, withoutZeros), depth, seen);
  // Most of what base64 is looked for in is none, and nothing stands in the bytes that come of it.
  if (depth === 0 || (reading.isBinary && !isPrinted.test(reading.text))) return;
  for (const escape of escapes) {
    if (escape.sign.test(reading.text)) yield* decoded(unescaped(reading, escape), depth - 1, seen);
  }
  for (const digits of bytes) {
    if (!digits.sign.test(reading.text)) continue;
    const only = reading.text.replace(digits.others, "");
    // A value may begin within a byte of what stands before it.
    for (let skipped = 0; skipped < digits.phases; skipped += 1) {
      yield* decoded(inBytes(reading, digits, only, skipped), depth - 1, seen);
    }
  }
}

/** Zeros between characters, as in UTF-32 too. */
const isUtf16 = /(?:[ -~]\p{Cc}{1,3}){3}/u;
const isPrinted = /[\s -~]{6}/;

/** Single characters that are written as several. */
interface Escape {
  /** Found in a text that is worth decoding. */
  readonly sign: RegExp;
  readonly pattern: RegExp;
  /** What is meant, by the match and its groups. */
  readonly decode: (found: string, groups: readonly (string | undefined)[]) => string;
}

const withoutZeros: Escape = {
  sign: isUtf16,
  pattern: /\p{Cc}/gu,
  decode: (found) => (found === "\0" ? "" : found),
};

/** Characters that XML, HTML and JSON in pages name. */
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  excl: "!",
  num: "#",
  dollar: "$",
  percnt: "%",
  lpar: "(",
  rpar: ")",
  ast: "*",
  plus: "+",
  comma: ",",
  period: ".",
  sol: "/",
  colon: ":",
  semi: ";",
  equals: "=",
  quest: "?",
  commat: "@",
  lsqb: "[",
  bsol: "\\",
  rsqb: "]",
  hat: "^",
  lowbar: "_",
  grave: "`",
  lcub: "{",
  verbar: "|",
  rcub: "}",
};

const controls: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

const fromHex = (digits: string): string => fromCode(Number.parseInt(digits, 16));

const escapes: readonly Escape[] = [
  // URLs: RFC 3986, section 2.1, and fields of forms, where a plus is a space.
  { sign: /%[0-9a-f]{2}/i, pattern: /%([0-9a-f]{2})/gi, decode: (_, [code = ""]) => fromHex(code) },
  {
    sign: /\+/,
    pattern: /%([0-9a-f]{2})|\+/gi,
    decode: (_, [code]) => (code === undefined ? " " : fromHex(code)),
  },
  // JSON, JavaScript, C, shells.
  {
    sign: /\\/,
    pattern:
      /\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,8})\}|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([0-3][0-7]{2})|([^]))/g,
    decode: (_, [u4, braced, u8, x, octal, other = ""]) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const code = u4 ?? braced ?? u8 ?? x;
      return code === undefined ? (controls[other] ?? other) : fromHex(code);
    },
  },
  // XML and HTML.
  {
    sign: /&(?:#|[a-z])/i,
    pattern: /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|([a-z]{2,6}));?/gi,
    decode: (found, [hex, decimal, name = ""]) => {
      if (hex !== undefined) return fromHex(hex);
      return decimal === undefined ? (entities[name.toLowerCase()] ?? found) : fromCode(Number(decimal));
    },
  },
  // SQL, YAML and CSV double a quote, each its own; a shell leaves the quotes for it. Two of the other kind are two characters of the value.
  { sign: /''|'\\'|'"'/, pattern: /'\\''|'"'"'|''/g, decode: () => "'" },
  { sign: /""/, pattern: /""/g, decode: () => '"' },
  // Bytes as an array of numbers.
  {
    sign: /(?:\b[0-9]{1,3}[,;\s]{1,4}){5}[0-9]{1,3}\b/,
    pattern: /\b([0-9]{1,3})(?:[,;\s]{1,4}|\b)/g,
    decode: (found, [code]) => (Number(code) < 256 ? String.fromCharCode(Number(code)) : found),
  },
];

function fromCode(code: number): string {
  return code <= 0x10_ffff ? String.fromCodePoint(code) : "";
}

/** Bytes that are written as digits. */
interface Digits {
  readonly sign: RegExp;
  /** What stands between digits, as separators and line breaks: left out. */
  readonly others: RegExp;
  readonly bits: number;
  readonly encoding: "base64" | "hex";
  /** Digits after which the next one begins a byte again. */
  readonly phases: number;
}

const bytes: readonly Digits[] = [
  {
    // RFC 4648, sections 4 and 5; MIME breaks its lines.
    sign: /[\w+/-]{8}/,
    others: /[^\w+/-]+/g,
    bits: 6,
    encoding: "base64",
    phases: 4,
  },
  {
    sign: /(?:[0-9a-f]{2}(?:[^0-9a-z]{0,3}(?:0x)?)){6}/i,
    others: /0x|[^0-9a-f]+/gi,
    bits: 4,
    encoding: "hex",
    phases: 2,
  },
];

/** Where each character of a reading comes from. */
interface Places {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function unescaped(reading: Reading, { pattern, decode }: Escape): Reading {
  const { text, isBinary } = reading;
  const decodeMatch = (found: string, ...rest: readonly unknown[]): string => decode(found, groupsOf(rest));
  return readingOf(reading, text.replace(pattern, decodeMatch), isBinary, () => {
    const places = { starts: [] as number[], ends: [] as number[] };
    let at = 0;
    const copyUntil = (end: number): void => {
      for (; at < end; at += 1) {
        places.starts.push(at);
        places.ends.push(at + 1);
      }
    };
    for (const match of text.matchAll(pattern)) {
      copyUntil(match.index);
      const [found, ...groups] = match;
      at = match.index + found.length;
      const meant = decode(found, groups);
      for (let index = 0; index < meant.length; index += 1) {
        places.starts.push(match.index);
        places.ends.push(at);
      }
    }
    copyUntil(text.length);
    return places;
  });
}

/** The groups among what `replace` hands to its function: before the place of the match. */
function groupsOf(rest: readonly unknown[]): readonly (string | undefined)[] {
  return rest.slice(
    0,
    rest.findIndex((each) => typeof each === "number"),
  ) as readonly (string | undefined)[];
}

function inBytes(reading: Reading, digits: Digits, only: string, skipped: number): Reading {
  const { others, bits, encoding } = digits;
  const text = Buffer.from(only.slice(skipped), encoding).toString("latin1");
  return readingOf(reading, text, true, () => {
    const digitsAt: number[] = [];
    let at = 0;
    const take = (end: number): void => {
      for (; at < end; at += 1) digitsAt.push(at);
    };
    for (const between of reading.text.matchAll(others)) {
      take(between.index);
      at = between.index + between[0].length;
    }
    take(reading.text.length);
    const digitOf = (bit: number): number => digitsAt[skipped + Math.floor(bit / bits)] ?? 0;
    const bytesOf = Array.from(text, (_, index) => index * 8);
    return {
      starts: bytesOf.map((bit) => digitOf(bit)),
      ends: bytesOf.map((bit) => digitOf(bit + 7) + 1),
    };
  });
}

function readingOf(from: Reading, text: string, isBinary: boolean, placesOf: () => Places): Reading {
  let places: Places | undefined;
  return {
    text,
    isBinary,
    origin: ({ start, end }) => {
      places ??= placesOf();
      return from.origin({ start: places.starts[start] ?? 0, end: places.ends[end - 1] ?? 0 });
    },
  };
}
