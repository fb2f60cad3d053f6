// A sidecar as a process of its own: its configuration from a file, its log as lines of JSON on standard error, its end by a signal.
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Logger } from "../ports/logger.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
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
  if (missing.length > 0) throw invalid(path, `the environment has no ${missing.join(", ")}`);
  try {
    return parse(filled) as SidecarOptions;
  } catch (error) {
    throw invalid(path, messageOf(error));
  }
}

function invalid(path: string, why: string): OperatorError {
  return new OperatorError("SIDECAR_CONFIG_INVALID", `${path}: ${why}`, {
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
