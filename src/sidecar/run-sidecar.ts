// A sidecar as a process of its own: its configuration from a file, its log as lines of JSON on standard error, its end by a signal.
import { readFile } from "node:fs/promises";
import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import type { Logger } from "../ports/logger.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { sidecarProblems } from "./check-options.ts";
import type { SidecarOptions } from "./sidecar-options.ts";
import { startSidecar } from "./start-sidecar.ts";

/** What {@link runSidecar} needs of its process. */
export interface SidecarProcess {
  /** The file with the configuration, YAML or JSON. */
  readonly config: string;
  /** What `${NAME}` in the configuration stands for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes lines of the log. */
  readonly write: (line: string) => void;
  /** Aborted when the process is to end. */
  readonly signal: AbortSignal;
}

/** Runs a sidecar until its signal is aborted. Errors: `SIDECAR_CONFIG_INVALID`, and those of `startSidecar`. */
export async function runSidecar({ config, env, write, signal }: SidecarProcess): Promise<void> {
  const options = await readConfig(config, env);
  const log = lineLogger(write, {});
  const sidecar = await startSidecar({ ...options, log });
  log.info({ url: sidecar.url, tasks: Object.keys(options.tasks ?? {}) }, "the sidecar answers");
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await sidecar.stop();
}

async function readConfig(path: string, env: SidecarProcess["env"]): Promise<SidecarOptions> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw invalid(path, `it cannot be read: ${messageOf(error)}`);
  }
  const missing: string[] = [];
  const filled = text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
    const value = env[name];
    if (value === undefined) missing.push(name);
    return value ?? whole;
  });
  const lines = new LineCounter();
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [unset] = missing;
  if (unset !== undefined) {
    lines.addNewLine(0);
    for (const end of text.matchAll(/\n/g)) lines.addNewLine(end.index + 1);
    const names = missing.length === 1 ? unset : missing.join(", ");
    throw invalid(placeAt(text.indexOf(`\${${unset}}`)), `the environment has no ${names}`);
  }
  const document = parseDocument(filled, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const [what = ""] = broken.message.split(/ at line /);
    throw invalid(placeAt(broken.pos[0]), `this is not YAML: ${what}`);
  }
  if (document.contents === null) throw invalid(placeAt(0), "the file is empty, and directory is missing");
  let options: SidecarOptions;
  try {
    options = document.toJS() as SidecarOptions;
  } catch (error) {
    throw invalid(placeAt(0), messageOf(error));
  }
  const problems = sidecarProblems(options).map(
    (problem) => [placeAt(offsetOf(document, problem)), problem] as const,
  );
  const [first, ...others] = problems;
  if (first === undefined) return options;
  const more = others.map(([place, problem]) => `\n${place}: ${problem}`);
  throw invalid(first[0], `${first[1]}${more.join("")}`);
}

/** Where the option stands that a sentence begins with, such as `tasks.backup.command`; else the innermost one around it. */
function offsetOf(document: Document, problem: string): number {
  let rest = problem;
  let offset = 0;
  for (let node: unknown = document.contents; isMap(node);) {
    const found = node.items.find(({ key }) => {
      const name = isScalar(key) ? String(key.value) : "";
      return rest.startsWith(name) && /^(?:[.: ]|$)/.test(rest.slice(name.length));
    });
    if (found === undefined || !isScalar(found.key)) return offset;
    [offset] = found.key.range ?? [offset];
    rest = rest.slice(String(found.key.value).length + 1);
    node = found.value;
  }
  return offset;
}

function invalid(place: string, why: string): OperatorError {
  const path = place.replace(/(?::\d+){2}$/, "");
  return new OperatorError("SIDECAR_CONFIG_INVALID", `${place}: ${why}`, {
    fields: { file: path },
    remedy: "Correct the file, or name another one with --config.",
  });
}

/** One object for each line. Nothing that was received is ever in it. */
function lineLogger(write: (line: string) => void, bound: Readonly<Record<string, unknown>>): Logger {
  const line =
    (level: string) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void =>
      write(`${JSON.stringify({ level, time: new Date().toISOString(), message, ...bound, ...fields })}\n`);
  return {
    child: (fields) => lineLogger(write, { ...bound, ...fields }),
    debug: () => undefined,
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    isLevelEnabled: (level) => level !== "debug",
  };
}
