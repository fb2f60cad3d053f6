// The query of a create, an update or a patch: read, and checked by the real server's rules.
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../schema/status-cause.ts";
import type { Fields } from "../api-object.ts";
import { invalidOptions } from "../status-error.ts";
import { isTrue } from "./list-options.ts";

/** How unknown and duplicate fields are treated. */
type FieldValidation = "Strict" | "Warn" | "Ignore";

/** What a write asks for. */
export interface WriteQuery {
  readonly dryRun: boolean;
  /** Given, or made of the User-Agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Of an apply: takes over what others own. */
  readonly force: boolean;
  /** What was given, as an options object without kind and version. */
  readonly options: Fields;
}

/** Which options object the real server checks. */
export type WriteKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Reads and checks the query. Errors: 422. */
export function parseWriteQuery(
  query: URLSearchParams,
  kind: WriteKind,
  request: { readonly userAgent: string; readonly apply?: boolean },
): WriteQuery {
  const errors: StatusCause[] = [];
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const unknown = dryRun.filter((value) => value !== "All");
  if (unknown.length > 0) errors.push(unsupportedValue("dryRun", unknown, ["All"]));
  const manager = query.get("fieldManager") ?? "";
  if (manager === "" && request.apply === true) {
    errors.push(requiredValue("fieldManager", "is required for apply patch"));
  }
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong("fieldManager", 128));
  errors.push(...unprintable("fieldManager", manager));
  if (query.has("force") && request.apply !== true) {
    errors.push(forbiddenValue("force", "may not be specified for non-apply patch"));
  }
  const validation = query.get("fieldValidation") ?? "";
  if (!["", "Ignore", "Strict", "Warn"].includes(validation)) {
    errors.push(unsupportedValue("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager === "" ? managerOf(request.userAgent) : manager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
    force: isTrue(query.get("force")),
    options: {
      ...(dryRun.length === 0 ? {} : { dryRun }),
      ...(manager === "" ? {} : { fieldManager: manager }),
      ...(validation === "" ? {} : { fieldValidation: validation }),
    },
  };
}

/** The field manager of a client that names none: its User-Agent up to the first slash, at most 128 bytes. */
function managerOf(userAgent: string): string {
  const name = userAgent.split("/", 1)[0] ?? "";
  const printable = name.replaceAll(/[^\u0020-\u007e]/g, "");
  return printable === "" ? "unknown" : printable.slice(0, 128);
}

/** A fault for each character that cannot be seen. https://pkg.go.dev/unicode#IsPrint */
function unprintable(field: string, value: string): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  let position = 0;
  for (const character of value) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      faults.push(invalidValue(field, value, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return faults;
}
