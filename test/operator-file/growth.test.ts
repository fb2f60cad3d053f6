import { describe, expect, it } from "vitest";
import { checkModule } from "../../src/cli/check/check-module.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";

const stateOf: Readonly<Record<string, (at: number, last: boolean) => string>> = {
  "that lead to and fro as desired": (at, last) =>
    `{ tags: stable, on: { desired.S${at - 1}: S${Math.max(at - 1, 0)}${last ? "" : `, desired.S${at + 1}: S${at + 1}`} } }`,
  "that lead on as observed": (at, last) =>
    last
      ? "{ tags: stable }"
      : `{ on: { observed.S${at + 1}: S${at + 1}, observed.Lost: HumanIntervention } }`,
  "that lead on by a task": (at, last) =>
    last
      ? "{ tags: stable }"
      : `{ invoke: { src: t, id: t${at}, onDone: S${at + 1}, onError: HumanIntervention } }`,
  "that can be desired from everywhere": () => "{ tags: stable }",
};

function operatorOf(shape: string, count: number): string {
  const states = Array.from({ length: count }, (_, at) => {
    const state = stateOf[shape]?.(at, at === count - 1) ?? "{}";
    return `        S${at}: ${at === 0 ? state.replace(/desired\.S-1: S0(?:, )?/, "") : state}`;
  });
  const all = Array.from({ length: count }, (_, at) => `desired.S${at}: .S${at}`).join(", ");
  const top = shape.endsWith("everywhere") ? `\n      on: { ${all} }` : "";
  const tasks = shape.endsWith("task") ? "\n    tasks: { t: { event: { reason: A, message: b } } }" : "";
  return `operator: o
kinds:
  - group: a.example.com
    version: v1
    kind: A
    lifecycle:
      initial: S0${top}
      states:
${states.join("\n")}${tasks}
`;
}

/** Milliseconds of CPU: what else the machine does is not counted. */
async function cost(text: string): Promise<number> {
  const { user } = process.cpuUsage();
  const { operator, problems } = readOperatorText(text, "f.yaml");
  expect(problems).toEqual([]);
  await checkModule({ file: "f.yaml", exports: { default: operator } });
  return (process.cpuUsage().user - user) / 1_000;
}

describe("checking a chain of states", () => {
  it.each(Object.keys(stateOf))(
    "%s takes little more than four times the work for four times as many",
    async (shape) => {
      await cost(operatorOf(shape, 60));
      const few = Math.min(await cost(operatorOf(shape, 60)), await cost(operatorOf(shape, 60)));
      const many = await cost(operatorOf(shape, 240));
      // The square would be 16 times the work; it was more than the cube.
      expect(many / few).toBeLessThan(shape.endsWith("everywhere") ? 24 : 12);
    },
  );
});
