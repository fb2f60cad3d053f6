// The process of the sidecar in one file: its arguments, its signals, its exit code.
import { parseArgs } from "node:util";
import { isOperatorError, messageOf } from "../ports/operator-error.ts";
import { runSidecar } from "./run-sidecar.ts";

const abort = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => abort.abort(new Error(name)));
try {
  const { values } = parseArgs({ options: { config: { type: "string" } } });
  const { config = "/etc/sidecar/sidecar.yaml" } = values;
  await runSidecar({
    config,
    // oxlint-disable-next-line no-restricted-properties -- an edge: the process's own environment
    env: process.env,
    write: (line) => void process.stderr.write(line),
    signal: abort.signal,
  });
} catch (error) {
  const remedy = isOperatorError(error) && error.remedy !== undefined ? `\ndo: ${error.remedy}` : "";
  process.stderr.write(`${messageOf(error)}${remedy}\n`);
  process.exitCode = 1;
}
