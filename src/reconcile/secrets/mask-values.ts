// Leaves values out of what is reported as more than a text: errors, the fields of log lines, a status. What needs no change is
// handed on as it is. Pure.

/** The error with other texts when its own say too much; the same error otherwise. */
export function maskError<T extends Error>(error: T, mask: (text: string) => string): T {
  return maskTexts(error, mask) as T;
}

/** The same for every text of a value, as far down as it is reported. Never throws, whatever getters do. */
export function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  return maskWithin(value, { mask, levels: deepest, above: [] });
}

/** A status without such values in its messages, wherever they are; the same value when nothing is masked. */
export function maskMessages(value: unknown, mask: (text: string) => string): unknown {
  return mapFields(value, (each, name) =>
    name === "message" && typeof each === "string" ? mask(each) : maskMessages(each, mask),
  );
}

/** Levels of a value that are reported in a log line. */
const deepest = 12;

interface Masking {
  readonly mask: (text: string) => string;
  readonly levels: number;
  /** What the value is within. */
  readonly above: readonly object[];
}

function maskWithin(value: unknown, { mask, levels, above }: Masking): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || levels === 0) return value;
  // The copy must not lead back to what it is a copy of.
  if (above.includes(value)) return "[circular]";
  const inner = (each: unknown): unknown =>
    maskWithin(each, { mask, levels: levels - 1, above: [...above, value] });
  try {
    if (value instanceof Error) return maskParts(value, mask, inner);
    if (value instanceof Map) return changedOr(value, [...value], inner, (entries) => new Map(entries));
    if (value instanceof Set) return changedOr(value, [...value], inner, (items) => new Set(items));
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") {
      const json: unknown = toJSON.call(value, "");
      const masked = inner(json);
      return masked === json ? value : masked;
    }
    return mapFields(value, inner);
  } catch {
    return "[unreadable]";
  }
}

function maskParts(error: Error, mask: (text: string) => string, inner: (value: unknown) => unknown): Error {
  const parts = ["message", "cause", "fields", "remedy"] as const;
  const fields = error as { readonly [part in (typeof parts)[number]]?: unknown };
  const changed = parts.flatMap((part) => {
    const masked = inner(fields[part]);
    return masked === fields[part] ? [] : [[part, { value: masked, enumerable: false }] as const];
  });
  if (changed.length === 0) return error;
  const masked: unknown = Object.create(error, {
    ...Object.fromEntries(changed),
    // It holds the message again.
    stack: { value: error.stack === undefined ? undefined : mask(error.stack), enumerable: false },
  });
  return masked as Error;
}

function changedOr<T>(
  value: unknown,
  items: readonly T[],
  inner: (value: unknown) => unknown,
  build: (items: readonly T[]) => unknown,
): unknown {
  const masked = inner(items);
  return masked === items ? value : build(masked as readonly T[]);
}

function mapFields(value: unknown, map: (value: unknown, name: string) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const mapped = Object.entries(value).map(([name, each]: [string, unknown]) => {
    const next = map(each, name);
    changed ||= next !== each;
    return [name, next] as const;
  });
  if (!changed) return value;
  return Array.isArray(value) ? mapped.map(([, each]) => each) : Object.fromEntries(mapped);
}
