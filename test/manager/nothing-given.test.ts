// The functions that an operator is declared and run by, given nothing or something else, as plain JavaScript may: each says
// what it was given and what to write, and none fails inside.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as library from "../../src/index.ts";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";

type Loose = (...given: readonly unknown[]) => unknown;

const page = library.defineKind({ group: "a.example.com", version: "v1", kind: "Page", spec: z.object({}) });
const app = library.defineKind({
  group: "a.example.com",
  version: "v1",
  kind: "App",
  spec: z.object({}),
  lifecycle: applicationLifecycle,
});
const operator = library.defineOperator({
  name: "pages",
  controllers: [library.defineController(page, { freeStyle: () => undefined })],
});

const functions: Readonly<Record<string, Loose>> = {
  defineKind: library.defineKind as Loose,
  "defineController of no kind": library.defineController as Loose,
  "defineController of a page": (options) => (library.defineController as Loose)(page, options),
  "defineController of an application": (options) => (library.defineController as Loose)(app, options),
  defineOperator: library.defineOperator as Loose,
  createLogger: library.createLogger as Loose,
  createMachine: setupLifecycle().createMachine as Loose,
  "runOperator without an operator": library.runOperator as Loose,
  "runOperator without options": (options) => (library.runOperator as Loose)(operator, options),
};

/** What nobody can mean. */
const given: readonly (readonly unknown[])[] = [[], [null], [5], ["text"], [[]], [true], [() => undefined]];

describe("given nothing that it can use", () => {
  const cases = Object.entries(functions).flatMap(([name, call]) =>
    given.map((values) => ({ name, call, values, shown: values.map((value) => typeof value).join() })),
  );

  it.each(cases)("$name($shown) says so", async ({ call, values }) => {
    const error: unknown = await Promise.resolve()
      .then(() => call(...values))
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    // Any other error is one from inside: it names neither the function nor what to write.
    if (!isOperatorError(error)) throw new Error(`it was not refused: ${String(error)}`);
    expect(error.message).not.toMatch(/Cannot (read|destructure|convert)|is not (a function|iterable)/);
    expect(error.remedy).toMatch(/^(Write|Correct|Give|Make) .*\.$/s);
  });

  it.each([
    [{}, 'level is missing (Write level: "info".)'],
    [
      { level: "inof" },
      'level is "inof", but must be one of debug, info, warn, error, silent (Write "info".)',
    ],
    [{ level: "info", dest: process.stdout }, 'createLogger has no option "dest", so it would be ignored'],
  ])("createLogger(%j) says which option is wrong", (options, words) => {
    expect(() => (library.createLogger as Loose)(options)).toThrow(
      expect.objectContaining({
        code: "LOGGER_OPTIONS_INVALID",
        message: expect.stringContaining(words) as string,
      }) as Error,
    );
  });

  it("setupLifecycle alone is content with nothing", () => {
    for (const options of given.slice(1)) {
      expect(() => (setupLifecycle as Loose)(...options)).toThrow(
        expect.objectContaining({ code: "LIFECYCLE_INVALID" }) as Error,
      );
    }
    expect(() => setupLifecycle()).not.toThrow();
  });
});
