// A text of JSON or YAML as a value, and where in the text each part of it stands. Knows nothing of what the text says.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Pair,
} from "yaml";
import { messageOf } from "../ports/operator-error.ts";
import type { Problem } from "../ports/problem.ts";
import { keyPath } from "./place-of-problem.ts";

/** A text that was read. */
export interface PlacedText {
  /** Undefined when the text cannot be read. */
  readonly value: unknown;
  /** What is wrong with the text itself, each with its place. */
  readonly problems: readonly Problem[];
  /** Where keys and items of lists begin, by their path (`keyPath`). */
  readonly offsets: ReadonlyMap<string, number>;
  /** Where values begin and end in the text, by their path; the whole text has the empty path. */
  readonly ranges: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** `file:line:column` of an offset, as editors count them. */
  readonly placeAt: (offset: number) => string;
}

/** Aliases in one text at most: a few lines of them can stand for more than a memory holds. */
const mostAliases = 100;

/** Reads a text; JSON where the file's name says so, else YAML 1.2, in which `on` and `no` are words. Never throws. */
export function readPlacedText(given: string, file: string): PlacedText {
  // Some editors begin a file with a mark of its encoding.
  const text = given.replace(/^\uFEFF/, "");
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    version: "1.2",
    logLevel: "error",
  });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const isJson = /\.json$/i.test(file);
  const found = readUnlessEncoded(text, () => (isJson ? readJson(text) : readYaml(document)));
  const repeated = document.errors.filter(({ code }) => code === "DUPLICATE_KEY").map(({ pos: [at] }) => at);
  const offsets = new Map<string, number>();
  const ranges = new Map<string, readonly [number, number]>();
  const keys = found.problems.length > 0 ? [] : placeKeys(document, offsets, ranges);
  const problems = [...found.problems, ...(isJson ? [] : keys), ...repeated.map((at) => twice(text, at))];
  return {
    value: problems.length > 0 ? undefined : found.value,
    problems: problems
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, ...problem }) => ({ ...problem, severity: "error", where: placeAt(offset) })),
    offsets,
    ranges,
    placeAt,
  };
}

/** Something wrong at a place. */
type Found = Pick<Problem, "code" | "message" | "remedy"> & { readonly offset: number };

/** What another encoding leaves in a text that is taken for UTF-8. */
function readUnlessEncoded(
  text: string,
  read: () => { readonly value?: unknown; readonly problems: readonly Found[] },
): { readonly value?: unknown; readonly problems: readonly Found[] } {
  const isUtf16 = text.includes("\0");
  const offset = text.indexOf("\uFFFD");
  if (offset < 0 && !isUtf16) return read();
  return {
    problems: [
      {
        code: "TEXT_INVALID",
        offset: isUtf16 ? 0 : offset,
        message: isUtf16
          ? "this is no text in UTF-8: it seems to be UTF-16"
          : "a character here is not written in UTF-8",
        remedy: "Save the file as UTF-8.",
      },
    ],
  };
}

function readJson(text: string): { readonly value?: unknown; readonly problems: readonly Found[] } {
  try {
    return { value: JSON.parse(text) as unknown, problems: [] };
  } catch (error: unknown) {
    const message = messageOf(error);
    // The engine names the position of most errors, and shows the text around it for the others.
    const position = Number(
      / at position (\d+)/.exec(message)?.[1] ??
        parseDocument(text, { schema: "json" }).errors[0]?.pos[0] ??
        text.length,
    );
    const what = message.replace(/ in JSON at position.*| is not valid JSON$/, "").replace(/, "[\s\S]*/, "");
    return {
      problems: [
        {
          code: "TEXT_INVALID",
          offset: position,
          message: `this is not JSON: ${what}`,
          remedy:
            "Correct it here, or shortly before; JSON has no comments and no comma after the last entry.",
        },
      ],
    };
  }
}

function readYaml(document: Document.Parsed): {
  readonly value?: unknown;
  readonly problems: readonly Found[];
} {
  const problems = document.errors
    .filter(({ code }) => code !== "DUPLICATE_KEY")
    .map(({ code, message, pos: [offset] }): Found => ({
      code: "TEXT_INVALID",
      offset,
      message:
        code === "MULTIPLE_DOCS"
          ? "a second document begins here, and one file has one"
          : `this is not YAML: ${message.replace(/ at line[\s\S]*/, "")}`,
      remedy:
        code === "MULTIPLE_DOCS" ? "Put it into a file of its own." : "Correct it here, or shortly before.",
    }));
  if (problems.length > 0) return { problems };
  const aliases = aliasesOf(document);
  const wrong = aliases.flatMap(({ alias, around }): readonly Found[] => {
    const { source } = alias;
    const anchored = alias.resolve(document);
    const [offset = 0] = alias.range ?? [];
    if (anchored === undefined) {
      const remedy = `Write &${source} before the value that it stands for, further up.`;
      return [{ code: "TEXT_INVALID", offset, message: `*${source} stands for nothing before it`, remedy }];
    }
    if (!around.includes(anchored)) return [];
    const message = `*${source} stands inside of what it stands for, so that there would be no end of it`;
    return [{ code: "TEXT_INVALID", offset, message, remedy: "Write out what is meant here." }];
  });
  if (wrong.length > 0) return { problems: wrong };
  try {
    return { value: document.toJS({ maxAliasCount: mostAliases }) as unknown, problems };
  } catch (error: unknown) {
    const isTooMuch = /alias count/.test(messageOf(error));
    const [first] = isTooMuch ? aliases.map(({ alias }) => alias.range) : [mergeOf(document)];
    const message = isTooMuch
      ? `the aliases from here on stand for more than ${mostAliases} values`
      : "only an object can be merged by <<, or a list of them";
    const remedy = isTooMuch
      ? "Write out what aliases stand for."
      : "Write <<: *name, of an object that has &name.";
    return { problems: [{ code: "TEXT_INVALID", offset: first?.[0] ?? 0, message, remedy }] };
  }
}

/** The aliases of a document, each with the nodes around it. */
function aliasesOf(
  document: Document.Parsed,
): readonly { readonly alias: Alias; readonly around: readonly unknown[] }[] {
  const found: { readonly alias: Alias; readonly around: readonly unknown[] }[] = [];
  visit(document, {
    Alias: (_key, alias, around) => {
      found.push({ alias, around });
    },
  });
  return found;
}

/** The place of the first key by which something is merged. */
function mergeOf(document: Document.Parsed): readonly number[] | null | undefined {
  let range: readonly number[] | null | undefined;
  visit(document, {
    Pair: (_key, { key }) => {
      if (isMerge({ key })) range ??= (key as { range?: readonly number[] }).range;
    },
  });
  return range;
}

/** Notes where each key and item begins, and finds keys that are no texts. */
function placeKeys(
  document: Document.Parsed,
  offsets: Map<string, number>,
  ranges: Map<string, readonly [number, number]>,
): readonly Found[] {
  const problems: Found[] = [];
  const place = (path: readonly string[], offset: number): void => {
    const key = keyPath(...path);
    if (!offsets.has(key)) offsets.set(key, offset);
  };
  const walk = (given: unknown, path: readonly string[]): void => {
    // What an alias or a merge stands for is where its anchor is.
    const node = isAlias(given) ? given.resolve(document) : given;
    const [start, end] = (node as { readonly range?: readonly number[] } | null)?.range ?? [];
    const key = keyPath(...path);
    if (start !== undefined && end !== undefined && !ranges.has(key)) ranges.set(key, [start, end]);
    if (isMap(node)) {
      const merged = node.items.filter(isMerge);
      for (const pair of node.items.filter((each) => !isMerge(each))) {
        const { offset, text, problem } = keyOf(pair);
        if (problem !== undefined) problems.push(problem);
        place([...path, text], offset);
        walk(pair.value, [...path, text]);
      }
      // What is written beside them counts, and so does the first of several.
      for (const { value } of merged) {
        for (const each of isSeq(value) ? value.items : [value]) walk(each, path);
      }
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const [start = 0] = (item as { range?: readonly number[] }).range ?? [];
        place([...path, String(index)], start);
        walk(item, [...path, String(index)]);
      }
    }
  };
  walk(document.contents, []);
  return problems;
}

/** Whether an entry merges another object into the one that it stands in. */
function isMerge({ key }: Pick<Pair, "key">): boolean {
  return isScalar(key) && key.source === "<<" && key.type === "PLAIN";
}

function keyOf({ key }: Pair): { readonly offset: number; readonly text: string; readonly problem?: Found } {
  const [offset = 0] = (key as { range?: readonly number[] | null } | null)?.range ?? [];
  const value: unknown = isScalar(key) ? key.value : key;
  const text = isScalar(key) ? String(value) : "";
  // Numbers are how delays are written.
  if (["string", "number"].includes(typeof value) || isAlias(key)) return { offset, text };
  const what =
    typeof value === "boolean" ? `the boolean ${String(value)}` : value === null ? "nothing" : "no text";
  return {
    offset,
    text,
    problem: {
      code: "KEY_NOT_TEXT",
      offset,
      message: `a key is ${what}, and keys are texts`,
      remedy:
        typeof value === "boolean"
          ? `Write it in quotes: "${String(value)}".`
          : "Write a name before the colon.",
    },
  };
}

function twice(text: string, offset: number): Found {
  const [, quoted, plain = ""] =
    /^(?:"((?:[^"\\]|\\.)*)"|([^\s:,{}]+))/.exec(text.slice(offset, offset + 200)) ?? [];
  return {
    code: "KEY_DUPLICATE",
    offset,
    message: `"${quoted ?? plain}" is written a second time here, and only one of the two would count`,
    remedy: "Leave one of them out, or make one entry of both.",
  };
}
