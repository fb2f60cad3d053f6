// A tool that renders: run without a shell, by its name on the path, within a time and with a limit of what it prints. Few at the
// same time, as each takes a processor for itself.
import { spawn } from "node:child_process";
import { OperatorError, TerminalError } from "../ports/operator-error.ts";

/** What is run. */
export interface ToolCall {
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads. */
  readonly stdin?: string;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/** Renderings at the same time. */
const atOnce = 4;
/** Bytes that are read of what a tool prints. */
const longestOutput = 32 * 1_024 * 1_024;
/** Characters of what a tool says on its standard error that its error quotes. */
const longestQuote = 2_000;

const waiting: (() => void)[] = [];
let running = 0;

/**
 * What a tool prints.
 *
 * **Errors**: `CHART_TOOL_MISSING` when it is not there; `CHART_INVALID` (gives up) with what it says when it fails, or when it prints
 * too much; the signal's reason.
 */
export async function runTool(call: ToolCall): Promise<string> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    call.signal.throwIfAborted();
    return await outputOf(call);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function outputOf({ program, args, stdin = "", signal }: ToolCall): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    const printed: Buffer[] = [];
    let bytes = 0;
    let said = "";
    const end = (): void => {
      child.kill("SIGKILL");
      reject(signal.reason as Error);
    };
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > longestOutput) {
        child.kill("SIGKILL");
        reject(failure(program, `it prints more than ${longestOutput} bytes`));
      } else printed.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-longestQuote);
    });
    // One that ends without reading its input says why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    child.once("error", (error) => reject(child.pid === undefined ? missing(program, error) : error));
    child.once("close", (code, killed) => {
      signal.removeEventListener("abort", end);
      if (code === 0) resolve(Buffer.concat(printed).toString("utf8"));
      else reject(failure(program, sentenceOf(said) || `it ended with ${killed ?? `exit code ${code}`}`));
    });
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Where tools are found, and how they are installed. */
const sources: Readonly<Record<string, string>> = {
  helm: "https://helm.sh/docs/intro/install",
  kustomize: "https://kubectl.docs.kubernetes.io/installation/kustomize",
  kubectl: "https://kubernetes.io/docs/tasks/tools",
};

function missing(program: string, cause: unknown): OperatorError {
  const source = sources[program];
  return new OperatorError("CHART_TOOL_MISSING", `${program} cannot be started: it is not on the PATH`, {
    cause,
    fields: { program },
    remedy: `Install it${source === undefined ? "" : ` (${source})`}, in the operator's image too, or name it by its path as program.`,
  });
}

function failure(program: string, said: string): TerminalError {
  return new TerminalError("CHART_INVALID", `${program}: ${said}`, {
    fields: { program },
    remedy: "Correct what is named, or the values that are given; then start the operator again.",
  });
}

/** What a tool says, without its flourishes. */
function sentenceOf(said: string): string {
  return said
    .replaceAll(/^(?:WARNING|walk\.go|level=).*$/gm, "")
    .replace(/\n+Use --debug flag to render out invalid YAML\s*$/, "")
    .trim()
    .replace(/^(?:Error|error): /, "");
}
