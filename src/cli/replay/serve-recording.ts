// `replay --dashboard`: the dashboard's page over a recording, until it is stopped.
import { once } from "node:events";
import { basename } from "node:path";
import { startDashboard } from "../../dashboard/dashboard-server.ts";
import { redact } from "../../manager/redaction.ts";
import type { Logger } from "../../ports/logger.ts";
import { systemClock } from "../../ports/system-clock.ts";
import type { RecordingReader } from "../../recording/recording-reader.ts";
import type { Terminal } from "../terminal.ts";
import { webToken } from "../web-token.ts";
import { createRecordedPast } from "./recorded-past.ts";

/** What is served. */
export interface ServeRecordingOptions {
  readonly file: string;
  readonly reader: RecordingReader;
  /** 0: any free one. */
  readonly port: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Serves the page; resolves when the signal is aborted. **Errors**: `BIND_FAILED`. */
export async function serveRecording(
  terminal: Terminal,
  { file, reader, port, log, signal }: ServeRecordingOptions,
): Promise<void> {
  const past = createRecordedPast(basename(file), reader, redact);
  const server = await startDashboard({
    ...(await past.at(past.to)),
    past,
    title: reader.headers[0]?.operator ?? past.name,
    port,
    clock: systemClock,
    log,
    sanitize: redact,
    ...webToken(terminal),
  });
  terminal.err(`dashboard of the recording: ${server.url}\n`);
  try {
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await server.close();
  }
}
