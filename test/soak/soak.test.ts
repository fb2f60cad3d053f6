// The operator in hard weather: a short form in the suite, and hours of it for whoever asks:
//   SOAK_MINUTES=20 npx vitest run test/soak
import { expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { formatMeasures, growth } from "./steadiness.ts";
import { soak, type SoakPart, type SoakPlan } from "./soak-run.ts";

const minutes = Number(process.env["SOAK_MINUTES"] ?? "0");
const only = process.env["SOAK_SERVER"];

const short: SoakPlan = {
  resources: 50,
  rate: 15,
  withKills: 10,
  withoutKills: 0,
  killEvery: 4,
  cutEvery: 1.5,
  restartEvery: 5,
  settleWithin: 40,
  calm: 1,
  quiet: 3,
  seed: 7,
};

const long: SoakPlan = {
  resources: Number(process.env["SOAK_RESOURCES"] ?? "2000"),
  rate: Number(process.env["SOAK_RATE"] ?? "50"),
  withKills: minutes * 60,
  withoutKills: minutes * 30,
  killEvery: 60,
  cutEvery: 10,
  restartEvery: 120,
  settleWithin: 300,
  calm: 11,
  quiet: 60,
  seed: 7,
  tell: (line) => console.info(`${new Date().toISOString()} ${line}`),
};

/** What is so whatever the weather was. */
function expectRight(part: SoakPart): void {
  expect(part.deaths).toEqual([]);
  expect(part.writtenInQuiet).toEqual([]);
}

describeOnEachApiServer("an operator in hard weather", (server) => {
  it(
    "ends with every resource as it was asked for, and then writes nothing",
    { timeout: 180_000 },
    async () => {
      const [part] = await soak(server(), short);
      if (part === undefined) throw new Error("there was no soak");
      expectRight(part);
      expect(part.kills).toBeGreaterThanOrEqual(2);
      expect(part.restarts).toBeGreaterThanOrEqual(1);
      expect(part.cuts).toBeGreaterThanOrEqual(4);
      expect(part.changes).toBeGreaterThan(50);
    },
  );

  const skipped = minutes > 0 ? "" : " (skipped: set SOAK_MINUTES)";
  const limit = (minutes * 90 + 1_200) * 1_000;
  it.skipIf(minutes === 0)(
    `does so for as long as it is asked to, and does not grow${skipped}`,
    { timeout: limit },
    async ({ skip }) => {
      skip(only !== undefined && only !== server().kind, `SOAK_SERVER is ${only}`);
      const parts = await soak(server(), long);
      for (const { measures, ...part } of parts) {
        long.tell?.(JSON.stringify(part, undefined, 2));
        for (const what of ["memory", "sockets", "descriptors"] as const) {
          long.tell?.(`${what}: ${formatMeasures(measures.map((each) => each[what]))}`);
        }
      }
      for (const part of parts) {
        expectRight(part);
        expect(part.askedInQuiet).toBe(0);
      }
      const [killed, alive] = parts;
      // Every process is weighed at the same age; the last ones hold no more than the first ones.
      const aged = (killed?.measures ?? []).filter(({ age }) => age > 50);
      expect(growth(aged.map(({ memory }) => memory))).toBeLessThan(1.1);
      expect(growth((alive?.measures ?? []).map(({ memory }) => memory))).toBeLessThan(1.1);
      expect(growth((alive?.measures ?? []).map(({ sockets }) => sockets))).toBeLessThanOrEqual(1.1);
      expect(growth((alive?.measures ?? []).map(({ descriptors }) => descriptors))).toBeLessThanOrEqual(1.1);
    },
  );
});
