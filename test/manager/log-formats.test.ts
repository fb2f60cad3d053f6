import { describe, expect, it } from "vitest";
import type { LogFormat } from "../../src/manager/log-formats.ts";
import { createLogger } from "../../src/manager/pino-logger.ts";
import type { Logger } from "../../src/ports/logger.ts";

/** The lines of a logger of a format, as JSON. */
function logged(
  format: LogFormat | undefined,
  write: (log: Logger) => void,
): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  write(createLogger({ level: "debug", destination, ...(format && { format }) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const iso: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const failure = {
  error: "no port in password=hunter22hunter22",
  code: "NO_PORT",
  where: "/app/operator.ts:1:2",
  stack: "at port (/app/operator.ts:1:2)\nat /app/operator.ts:3:4",
  trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  span_id: "00f067aa0ba902b7",
  trace_flags: "01",
};

describe("a log line", () => {
  it("has its level as a word and its time as ISO 8601", () => {
    const [line] = logged(undefined, (log) => log.child({ controller: "shop" }).warn({ n: 1 }, "slow"));
    expect(line).toEqual({ level: "warn", time: iso, controller: "shop", n: 1, msg: "slow" });
  });

  it("is one of the Elastic Common Schema, in which our own fields cannot be taken for others", () => {
    const [line] = logged("ecs", (log) =>
      log.child({ controller: "shop" }).child({ url: "a text" }).error(failure, "reconcile failed"),
    );
    expect(line).toEqual({
      "@timestamp": iso,
      "log.level": "error",
      "ecs.version": "8.11.0",
      message: "reconcile failed",
      error: { message: "no port in password=[redacted]", code: "NO_PORT", stack_trace: failure.stack },
      trace: { id: failure.trace_id },
      span: { id: failure.span_id },
      xstate_operator: { controller: "shop", url: "a text", where: failure.where },
    });
    expect(logged("ecs", (log) => log.info({}, "running"))[0]).toEqual({
      "@timestamp": iso,
      "log.level": "info",
      "ecs.version": "8.11.0",
      message: "running",
    });
  });

  it("is one that Google Cloud Logging reads: severity, trace, and a stack that error reporting knows", () => {
    const [line, warning] = logged("gcp", (log) => {
      log.child({ controller: "shop" }).error(failure, "reconcile failed");
      log.warn({}, "slow");
    });
    expect(line).toMatchObject({
      severity: "ERROR",
      time: iso,
      message: "reconcile failed",
      controller: "shop",
      code: "NO_PORT",
      stack_trace:
        "Error: no port in password=[redacted]\n    at port (/app/operator.ts:1:2)\n    at /app/operator.ts:3:4",
      "logging.googleapis.com/trace": failure.trace_id,
      "logging.googleapis.com/spanId": failure.span_id,
      "logging.googleapis.com/trace_sampled": true,
    });
    expect(line).not.toHaveProperty("trace_id");
    expect(warning).toMatchObject({ severity: "WARNING" });
  });
});
