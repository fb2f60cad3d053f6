// Options of runOperator that no compiler has seen: each is refused before anything is done, with what to write.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineController,
  defineKind,
  defineOperator,
  isOperatorError,
  runOperator,
  systemClock,
  type RunOptions,
} from "../../src/index.ts";
import { createPrometheusMetrics } from "../../src/manager/index.ts";
import { refuseRunOptions } from "../../src/manager/check-run-options.ts";
import { noInspector } from "../../src/statechart/inspection.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { noSecrets } from "../../src/ports/secret-keeper.ts";

const Thing = defineKind({ group: "a.example.com", version: "v1", kind: "Thing", spec: z.object({}) });
const operator = defineOperator({
  name: "things",
  controllers: [defineController(Thing, { freeStyle: () => undefined })],
});
const { signal } = new AbortController();
const least: RunOptions = { connection: {}, log: silentLogger, signal };

/** Every option, as a compiler would accept it. */
const all: Required<Omit<RunOptions, "tracerProvider">> = {
  ...least,
  connection: { kubeconfig: "config", context: "kind" },
  namespaces: ["default"],
  workers: 4,
  installCrds: true,
  leaderElection: {
    namespace: "a",
    name: "b",
    leaseDuration: "15s",
    renewDeadline: 10_000,
    retryPeriod: "2s",
  },
  sharding: { leaseDuration: "15s" },
  drainTimeout: 0,
  healthProbeBindAddress: ":8081",
  metricsBindAddress: "0",
  metricsSecure: { cert: "tls.crt", key: "tls.key" },
  webhookBindAddress: ":9443",
  webhookCertDir: "certificates",
  webhookUrl: "https://10.0.0.5:9443",
  metrics: createPrometheusMetrics(),
  inspector: noInspector,
  journal: { record: () => undefined },
  onStart: () => undefined,
  recorder: { record: () => undefined, gone: () => undefined, measure: () => undefined },
  secrets: noSecrets,
  onSynced: () => undefined,
  onReady: () => undefined,
  clock: systemClock,
  random: () => 0,
  env: process.env,
};

/** What runOperator says of options, as plain JavaScript may have them. */
async function refusal(options: unknown): Promise<string> {
  try {
    await runOperator(operator, options as RunOptions);
  } catch (error) {
    if (!isOperatorError(error, "RUN_OPTIONS_INVALID")) throw error;
    return error.message;
  }
  throw new Error("it was not refused");
}

describe("the options of runOperator", () => {
  it("are accepted where a compiler accepts them", () => {
    const asTyped = { ...least, drainTimeout: "25s", leaderElection: { leaseDuration: 15_000 } };
    for (const options of [least, all, asTyped])
      expect(() => refuseRunOptions("things", options)).not.toThrow();
  });

  it.each<[string, object, RegExp]>([
    [
      "one that is none",
      { installCrd: true },
      /^- runOperator has no option "installCrd", .*Did you mean "installCrds"/,
    ],
    ["one of another case", { healthprobeBindAddress: ":1" }, /Did you mean "healthProbeBindAddress"/],
    [
      "one inside that is none",
      { leaderElection: { leaseDurations: "9s" } },
      /leaderElection has no .*"leaseDuration"/,
    ],
    ["a connection that is none", { connection: { kubeConfig: "a" } }, /Did you mean "kubeconfig"/],
    ["a flag for an object", { sharding: true }, /^- sharding is true, but must be an object/],
    ["a number in quotes", { workers: "4" }, /^- workers is "4", but must be a whole number from 1/],
    ["no worker", { workers: 0 }, /^- workers is 0/],
    [
      "a time that is none",
      { drainTimeout: "25 seconds" },
      /^- drainTimeout is "25 seconds", .*must be a duration/,
    ],
    ["a time before now", { drainTimeout: -1 }, /^- drainTimeout is -1, .*must be a duration/],
    [
      "an unknown unit",
      { sharding: { leaseDuration: "15 seconds" } },
      /^- sharding\.leaseDuration is .*must be a duration/,
    ],
    [
      "no time at all",
      { leaderElection: { retryPeriod: 0 } },
      /^- leaderElection\.retryPeriod is 0, .*must be a duration above 0/,
    ],
    ["a port without quotes", { metricsBindAddress: 8080 }, /^- metricsBindAddress is 8080, .*":8080"/],
    ["half a certificate", { metricsSecure: { cert: "tls.crt" } }, /^- metricsSecure\.key is missing/],
    ["a text for a list", { namespaces: "default" }, /^- namespaces is "default", but must be a list/],
    ["a list with something else", { namespaces: ["a", 3] }, /^- namespaces\[1\] is 3/],
    [
      "a controller for its signal",
      { signal: new AbortController() },
      /^- signal is an object, .*AbortSignal/,
    ],
    [
      "a logger that lacks a level",
      { log: { ...silentLogger, child: undefined } },
      /^- log is an object, .*child/,
    ],
    ["no logger", { log: undefined }, /^- log is missing/],
    ["something that is not called", { onReady: true }, /^- onReady is true, but must be a function/],
  ])("refuse %s", async (_, options, expected) => {
    const [head, ...lines] = (await refusal({ ...least, ...options })).split("\n");
    expect(head).toContain('"things"');
    expect(lines).toEqual([expect.stringMatching(expected)]);
  });

  it.each([undefined, null, {}, "things", Thing])(
    "are not looked at without an operator: %s",
    async (given) => {
      await expect(runOperator(given as never, least)).rejects.toMatchObject({
        code: "OPERATOR_INVALID",
        message: expect.stringMatching(/^runOperator was given .* as its operator$/) as string,
      });
    },
  );

  it("are each told on a line of their own, and asked for when there are none", async () => {
    expect((await refusal(undefined)).match(/^- .*$/gm)).toEqual([
      expect.stringContaining("connection is missing"),
      expect.stringContaining("log is missing"),
      expect.stringContaining("signal is missing"),
    ]);
  });
});
