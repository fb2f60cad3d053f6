// A copy of anything as plain JSON without secrets, and where it differs from the original: a decision that was made on
// what is left out cannot be made again. Pure.
import type { Json } from "../meta/object.ts";
import { isSecretField, maskStart, redacted } from "../meta/secret-text.ts";

/** What is left out. */
export interface Masking {
  /** Leaves secrets out of a text. */
  readonly mask: (text: string) => string;
  /** Whether a text is in the recording anyway, as the names of states are. */
  readonly isPublic: (text: string) => boolean;
}

/** A copy. */
export interface MaskedCopy {
  /** Undefined where JSON has nothing for it. */
  readonly value: Json | undefined;
  /** Dotted paths at which it says something else than the original; `and more` at the end of some of them. */
  readonly altered: readonly string[];
}

/** Masked paths that are listed for one copy. */
const mostPaths = 20;
/** Characters of one text that are kept: a recording must tell a decision, not hold every file that a resource has. */
const longestText = 65_536;
/** Deeper than this nothing is copied. */
const deepest = 64;

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** Copies. Never throws, whatever getters and `toJSON` do. */
export function maskedCopy(original: unknown, { mask, isPublic }: Masking): MaskedCopy {
  const altered: string[] = [];
  const above = new Set<object>();

  function note(path: string): void {
    if (altered.length < mostPaths) altered.push(path);
    else if (altered.length === mostPaths) altered.push("and more");
  }

  function copyText(text: string, path: string): string {
    if (isPublic(text)) return text;
    const masked = maskStart(text, mask, longestText);
    // A short value that is a part of an instant's digits by chance.
    if (masked === text || (instant.test(text) && masked !== redacted)) return text;
    note(path);
    return masked;
  }

  function copyNumber(value: number, path: string): Json {
    if (!Number.isFinite(value)) {
      note(path);
      return null;
    }
    if (mask(String(value)) !== redacted) return value;
    note(path);
    return redacted;
  }

  function copy(value: unknown, path: string, depth: number): Json | undefined {
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return copyText(value, path);
    if (typeof value === "number") return copyNumber(value, path);
    if (value === undefined) return undefined;
    if (typeof value !== "object") {
      note(path);
      return typeof value === "bigint" ? copyText(value.toString(), path) : undefined;
    }
    if (depth >= deepest || above.has(value)) {
      note(path);
      return depth >= deepest ? "[too deep]" : "[circular]";
    }
    above.add(value);
    try {
      return copyObject(value, path, depth + 1);
    } catch {
      note(path);
      return "[unreadable]";
    } finally {
      above.delete(value);
    }
  }

  function copyObject(value: object, path: string, depth: number): Json | undefined {
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") {
      note(path);
      return copy(toJSON.call(value, ""), path, depth);
    }
    if (Array.isArray(value)) {
      return value.map((each, index) => copy(each, `${path}[${index}]`, depth) ?? null);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) note(path);
    const fields: [string, Json][] = [];
    for (const [name, each] of Object.entries(value)) {
      const key = copyText(name, path);
      const within = path === "" ? key : `${path}.${key}`;
      if (isSecretField(name, each)) {
        note(within);
        fields.push([key, redacted]);
        continue;
      }
      const copied = copy(each, within, depth);
      if (copied !== undefined) fields.push([key, copied]);
    }
    return Object.fromEntries(fields);
  }

  return { value: copy(original, "", 0), altered };
}
