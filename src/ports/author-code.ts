// Where in the author's own code an error comes from, found in its stack: every place that is neither Node's, nor a dependency's,
// nor this package's. Places are as Node reports them: through source maps, if it was started with them. Pure.
import type { LogFields } from "./logger.ts";
import { isOperatorError } from "./operator-error.ts";
import { ownFolder } from "./own-folder.ts";
import { packedParts } from "./packed-parts.ts";

const packed = packedParts();

/**
 * Folders of this package, in which nothing is the author's. Of a built operator, whose file has all, the source map has places of the
 * author alone: what is still in that file is this package's, or has no known place.
 */
const ownFolders = packed === undefined ? [".", "../machines/", "../chunks/"].map(folder) : [packed.file];

function folder(path: string): string {
  return pathOf(new URL(path, ownFolder));
}

function pathOf(url: URL): string {
  return decodeURIComponent(url.pathname);
}

/** One place in a stack. */
export interface Frame {
  readonly file: string;
  /** `file:line:column`, as editors open it. */
  readonly place: string;
  /** The name of the function, where it has one. */
  readonly name: string | undefined;
}

/** Frames of the author that are reported. */
const reported = 10;
/** Errors and causes that are looked through. */
const deepest = 5;

/** Every place in a stack, in order: a frame (`at f (file:///x.ts:1:2)`), or the head of a syntax error (`file:///x.ts:1`). */
export function framesOf(error: Error): readonly Frame[] {
  return (error.stack ?? "").split("\n").flatMap((line) => {
    const match = /(file:\/\/\/[^\s)]+|(?<=[\s(]|^)\/[^\s():]+):(\d+)(?::(\d+))?\)?$/.exec(line);
    if (match === null) return [];
    const [, found = "", row = "", column] = match;
    const file = found.startsWith("file:") ? pathOf(new URL(found)) : found;
    const place = [file, row, ...(column === undefined ? [] : [column])].join(":");
    return [{ file, place, name: /^\s*at (?:async )?(\S+) \(/.exec(line)?.[1] }];
  });
}

/** Whether a frame is the author's; `own` are the folders of this package. */
export function isAuthors({ file }: Frame, own: readonly string[] = ownFolders): boolean {
  return !file.includes("/node_modules/") && !own.some((folder) => file.startsWith(folder));
}

/**
 * What a log line says of an error besides its message: its code, `where` the author's code failed, and the `stack` of that code
 * alone. Of an error that names no such place, its causes are asked. Neither holds the message, which may quote a secret.
 */
export function errorFields(error: Error): LogFields {
  const { code, remedy } = error as { readonly code?: unknown; readonly remedy?: unknown };
  const frames = authorFrames(error).slice(0, reported);
  const where = placeOfError(error);
  return {
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof remedy === "string" ? { remedy } : {}),
    ...(where === undefined ? {} : { where }),
    ...(frames[0] === undefined ? {} : { stack: frames.map(shown).join("\n") }),
  };
}

/** `file:line:column` of what an author has written and what has failed: in a file of YAML, else in the code. */
export function placeOfError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const each of withCauses(error)) {
    const where = isOperatorError(each) ? each.fields["where"] : undefined;
    if (typeof where === "string") return where;
  }
  return authorFrames(error)[0]?.place;
}

function authorFrames(error: Error): readonly Frame[] {
  for (const each of withCauses(error)) {
    const frames = framesOf(each).filter((frame) => isAuthors(frame));
    if (frames.length > 0) return frames;
  }
  return [];
}

function withCauses(error: Error): readonly Error[] {
  const errors: Error[] = [];
  for (let each: unknown = error; each instanceof Error && errors.length < deepest; each = each.cause)
    errors.push(each);
  return errors;
}

function shown({ name, place }: Frame): string {
  return name === undefined ? `at ${place}` : `at ${name} (${place})`;
}
