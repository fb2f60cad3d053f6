// The operator in hard weather: a short form in the suite, and hours of it for whoever asks:
//   SOAK_MINUTES=20 npx vitest run test/soak
import { expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import type { Measure } from "./killed-operator.ts";
import { formatMeasures, gain, growth } from "./steadiness.ts";
import { soak, type SoakPlan, type SoakReport } from "./soak-run.ts";

const minutes = Number(process.env["SOAK_MINUTES"] ?? "0");
const only = process.env["SOAK_SERVER"];

const short: SoakPlan = {
  resources: 50,
  rate: 15,
  duration: 10,
  killEvery: 4,
  cutEvery: 1.5,
  restartEvery: 5,
  settleWithin: 40,
  // Longer than what a failed run may still wait to be tried again.
  calm: 5,
  quiet: 3,
  seed: 7,
};

const long: SoakPlan = {
  resources: Number(process.env["SOAK_RESOURCES"] ?? "2000"),
  rate: Number(process.env["SOAK_RATE"] ?? "50"),
  duration: minutes * 60,
  cutEvery: 10,
  restartEvery: 120,
  // A field is fought about until it was left alone for as long as three times its longest peace, at most ten minutes.
  settleWithin: 700,
  // A run that failed in an outage is tried again after at most 15 s and a tenth, and that an Event recurred is told after 10 s.
  calm: 17,
  quiet: 60,
  seed: 7,
  tell: (line) => console.info(`${new Date().toISOString()} ${line}`),
};

/** What is so whatever the weather was. */
function expectRight(report: SoakReport): void {
  expect(report.deaths).toEqual([]);
  expect(report.writtenInQuiet).toEqual([]);
}

const held = ["memory", "sockets", "descriptors"] as const;

function tellReport({ measures, heaps, ...report }: SoakReport): void {
  long.tell?.(JSON.stringify(report, undefined, 2));
  for (const what of held) long.tell?.(`${what}: ${formatMeasures(measures.map((each) => each[what]))}`);
  if (heaps.length > 0) long.tell?.(`heap: ${formatMeasures(heaps)}`);
}

function growthOf(measures: readonly Measure[], what: (typeof held)[number]): number {
  return growth(measures.map((each) => each[what]));
}

describeOnEachApiServer(
  "an operator in hard weather",
  (server) => {
    it(
      "ends with every resource as it was asked for, and then writes nothing",
      { timeout: 180_000 },
      async () => {
        const report = await soak(server(), short);
        expectRight(report);
        expect(report.kills).toBeGreaterThanOrEqual(2);
        expect(report.restarts).toBeGreaterThanOrEqual(1);
        expect(report.cuts).toBeGreaterThanOrEqual(4);
        expect(report.changes).toBeGreaterThan(50);
      },
    );

    const skipped = minutes > 0 ? "" : " (skipped: set SOAK_MINUTES)";
    const asked = it.skipIf(minutes === 0);
    const limit = { timeout: (minutes * 60 + 900) * 1_000 };

    asked(`does so for as long as it is asked to, killed every minute${skipped}`, limit, async ({ skip }) => {
      skip(only !== undefined && only !== server().kind, `SOAK_SERVER is ${only}`);
      const report = await soak(server(), { ...long, killEvery: 60 });
      tellReport(report);
      expectRight(report);
      expect(report.askedInQuiet).toBe(0);
      // Every process is weighed at the same age; the last ones hold no more than the first ones.
      const aged = report.measures.filter(({ age }) => age > 50);
      expect(growthOf(aged, "memory")).toBeLessThan(1.1);
    });

    asked(`does so in one process, which does not grow${skipped}`, limit, async ({ skip }) => {
      skip(only !== undefined && only !== server().kind, `SOAK_SERVER is ${only}`);
      const report = await soak(server(), { ...long, weighEvery: 10 });
      tellReport(report);
      expectRight(report);
      expect(report.askedInQuiet).toBe(0);
      // What is remembered of up to ten thousand objects by their uids has not filled yet: each that comes anew adds to it.
      expect(growth(report.heaps), "heap").toBeLessThan(1.2);
      expect(growthOf(report.measures, "memory"), "memory").toBeLessThan(1.1);
      // How many are open goes up and down with the load of the machine; this many more would be, if each fourth cut left one open.
      for (const what of ["sockets", "descriptors"] as const) {
        const more = gain(report.measures.map((each) => each[what]));
        expect(more, what).toBeLessThan(Math.max(report.cuts / 8, 10));
      }
    });
  },
  { long: true },
);
