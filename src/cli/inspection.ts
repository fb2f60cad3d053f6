// `--inspect`: the inspector of a process that runs an operator, opened before it and closed after it.
import { InvalidArgumentError } from "commander";
import type { ViewerChoice } from "../inspect/inspection-pages.ts";
import type { Logger } from "../ports/logger.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { Inspector } from "../statechart/inspection.ts";
import type { Terminal } from "./terminal.ts";
import { webToken } from "./web-token.ts";

/** What `--inspect` asks for. */
export interface InspectChoice {
  readonly viewer: ViewerChoice;
  /** 0: any free one. */
  readonly port: number;
}

/** Reads `PORT`, `local`, `stately`, `local:PORT` or `stately:PORT`. */
export function parseInspect(text: string): InspectChoice {
  const [, viewer = "local", digits = "0"] = /^(?:(local|stately)(?::(?=\d))?)?(\d{1,5})?$/.exec(text) ?? [];
  const port = Number(digits);
  if (text === "" || !/^(?:local|stately|(?:(?:local|stately):)?\d{1,5})$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError(
      'It must be a port, "local", "stately", or one of these with a port: "stately:4000".',
    );
  }
  return { viewer: viewer as ViewerChoice, port };
}

/** The running inspector of a process. */
export interface RunningInspection {
  readonly inspector: Inspector;
  close(): Promise<void>;
}

/** Starts the inspector and says where it is; `sanitize` takes secrets out of what it sends. **Errors**: `BIND_FAILED`, `PACKAGE_MISSING`. */
export async function startInspection(
  terminal: Terminal,
  { viewer, port }: InspectChoice,
  log: Logger,
  sanitize: (value: unknown) => unknown,
): Promise<RunningInspection> {
  const { InspectionBridge } = await import("../inspect/inspection-bridge.ts");
  const { startInspectionServer } = await import("../inspect/inspection-server.ts");
  const bridge = new InspectionBridge({ now: () => systemClock.now(), sanitize });
  const server = await startInspectionServer({ bridge, port, viewer, log, ...webToken(terminal) });
  terminal.err(`inspector: ${server.url}\n`);
  if (viewer === "stately") {
    terminal.err(
      "Your browser loads Stately's page from the internet; the inspected data stays in the browser.\n",
    );
  }
  return { inspector: bridge, close: () => server.close() };
}
