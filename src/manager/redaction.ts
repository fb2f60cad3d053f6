// Keeps secrets out of what is logged, wherever an author put them: fields of any depth by their name, whole Secrets by
// their kind, and copies of them inside texts (errors that quote an object, the last applied configuration). Pure.
// What has neither a telling name nor the form of a Secret is known only to who has seen the Secret: `mask` is for that.
import { isSecretField, maskStart, redacted, redactText } from "../meta/secret-text.ts";

/** Deeper than this nothing is logged: the fields of a log line are facts, not object trees. */
const deepest = 12;

/**
 * A copy without secrets, of plain values only: errors are given by their message, code, fields and cause. `mask` leaves more
 * out of texts, of which only the beginning is kept.
 */
export function redact(value: unknown, mask: (text: string) => string = (text) => text): unknown {
  return copy(value, 0, {
    above: new Set(),
    mask: (text) => maskStart(text, (start) => mask(redactText(start))),
  });
}

interface Copying {
  /** The objects that the present one is within. */
  readonly above: Set<object>;
  readonly mask: (text: string) => string;
}

function copy(value: unknown, depth: number, copying: Copying): unknown {
  const { above, mask } = copying;
  if (typeof value === "string") return mask(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value)) return "[circular]";
  if (depth >= deepest) return "[too deep]";
  above.add(value);
  try {
    return copyObject(value, depth, copying);
  } catch {
    // A foreign getter or toJSON that throws must not lose the line.
    return "[unreadable]";
  } finally {
    above.delete(value);
  }
}

function copyObject(value: object, depth: number, copying: Copying): unknown {
  const inner = (each: unknown): unknown => copy(each, depth + 1, copying);
  if (value instanceof Error) return copyError(value, inner);
  if (Array.isArray(value) || value instanceof Set) return [...value].map(inner);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "[bytes]";
  if (value instanceof Map)
    return copyFields(
      [...value].map(([name, each]) => [String(name), each]),
      inner,
    );
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return inner(toJSON.call(value, ""));
  const { path } = value as { readonly path?: unknown };
  const copied = copyFields(Object.entries(value), inner);
  // An operation of a JSON patch names what it writes in `path`.
  const writesData = typeof path === "string" && /^\/(?:data|stringData)(?:\/|$)/.test(path);
  return writesData && "value" in value ? { ...copied, value: redacted } : copied;
}

function copyFields(
  entries: readonly (readonly [string, unknown])[],
  inner: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([name, each]) => [String(inner(name)), isSecretField(name, each) ? redacted : inner(each)]),
  );
}

/** What an error says; without the stack, which the command line prints when asked to. */
function copyError(error: Error, inner: (value: unknown) => unknown): Record<string, unknown> {
  const { name, message, cause } = error;
  const { code, fields } = error as { readonly code?: unknown; readonly fields?: unknown };
  return {
    name,
    message: inner(message),
    ...(code === undefined ? {} : { code: inner(code) }),
    ...(fields === undefined ? {} : { fields: inner(fields) }),
    ...(cause === undefined ? {} : { cause: inner(cause) }),
  };
}
