// `--record`: the recording of a process that runs an operator, opened before it and closed after it has drained.
import { randomUUID } from "node:crypto";
import { InvalidArgumentError } from "commander";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import type { Logger } from "../ports/logger.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { RecordedKind } from "../recording/recording-format.ts";
import { smallestLimit } from "../recording/recording-file.ts";
import { openRecording, type Recording } from "../recording/recording-writer.ts";
import { readPackage } from "./package-info.ts";
import type { Terminal } from "./terminal.ts";

/** Bytes that a recording takes when nobody says otherwise. */
export const defaultLimit = 512 * 1024 * 1024;

const units: Readonly<Record<string, number>> = { "": 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

/** Reads the size of `--record-limit`. */
export function parseSize(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,12})(Ki|Mi|Gi)?$/.exec(text) ?? [];
  const size = Number(digits) * (units[unit] ?? 0);
  if (digits !== "" && size >= smallestLimit && Number.isSafeInteger(size)) return size;
  throw new InvalidArgumentError("It must be a size of at least 1Mi, for example 512Mi or 2Gi.");
}

/** Opens the file and says so. **Errors**: `RECORDING_UNUSABLE`. */
export async function startRecording(
  terminal: Terminal,
  {
    operator,
    file,
    limit,
  }: { readonly operator: OperatorDefinition; readonly file: string; readonly limit: number },
  log: Logger,
): Promise<Recording> {
  const recording = await openRecording({
    file: terminal.path(file),
    about: {
      session: randomUUID().slice(0, 8),
      package: readPackage().version,
      operator: operator.name,
      pid: process.pid,
      kinds: operator.controllers.map(({ kind }) => kindOf(kind)),
    },
    limit,
    clock: systemClock,
    log,
  });
  terminal.err(`recording: ${file}\n`);
  return recording;
}

function kindOf(each: OperatorDefinition["controllers"][number]["kind"]): RecordedKind {
  const { kind, group, version, plural, namespaced, lifecycle } = each;
  const machine = lifecycle === undefined ? {} : { machine: lifecycle.graphId, graph: lifecycle.index.graph };
  return { kind, group, version, plural, namespaced, ...machine };
}
