// What a reconcile has read from a Secret and puts into its errors: shown to nobody who may only see the resource.
import { afterEach, describe, expect, it } from "vitest";
import { encodeSecretValue, Secret, secretValue } from "../../src/kinds/index.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { FaultyController, namespace, type Widget } from "./support/faulty-controller.ts";

let subject: FaultyController | undefined;
afterEach(() => subject?.stop());

const password = "correct-horse-battery-staple";
const key = { namespace, name: "credentials" };

const ways = {
  "from the cache": ({ lookUp }: StepContext<Widget>) => lookUp(Secret, key),
  "from the server": ({ client }: StepContext<Widget>) => client.get(Secret, key),
  "as one of a list": ({ list }: StepContext<Widget>) => list(Secret)[0],
};

describe("a password that a hook reads", () => {
  it.each(Object.entries(ways))("%s is in no condition, no Event and no log line", async (_way, readIt) => {
    const lines: string[] = [];
    subject = await FaultyController.start(
      {
        reads: [Secret],
        steps: {
          Updater: async (context) => {
            const secret = await readIt(context);
            const text = `login with ${secret === undefined ? "nothing" : secretValue(secret, "password")} refused`;
            context.log.warn({ text, error: new Error(text) }, "the database refuses us");
            throw new Error(text);
          },
        },
      },
      1,
      (line) => lines.push(line),
    );
    const { clock, person } = subject;
    await person.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: key,
      data: { password: encodeSecretValue(password) },
    });
    await subject.create("a");
    await clock.advance(10_000);
    const { status } = await subject.get("a");
    expect(status?.conditions?.map(({ type, status: is }) => [type, is])).toEqual([
      ["ReconciliationSuccess", "False"],
      ["Ready", "False"],
      ["Reconciling", "True"],
    ]);
    expect(new Set(status?.conditions?.map(({ message }) => message))).toEqual(
      new Set(["login with [redacted] refused"]),
    );
    expect(new Set(subject.events.map(({ note }) => note))).toEqual(
      new Set(["login with [redacted] refused"]),
    );
    expect(lines.filter((line) => line.includes("the database refuses us")).length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.includes("reconcile failed")).length).toBeGreaterThan(1);
    const shown = [JSON.stringify(status), JSON.stringify(subject.events), ...lines].join("\n");
    expect(shown).not.toContain(password);
    expect(shown).not.toContain(encodeSecretValue(password));
  });
});

describe("a type that no controller declares", () => {
  it("is not watched behind the author's back when it is read: that is an error (T16)", async () => {
    const errors: unknown[] = [];
    const look = (read: () => unknown): void => {
      try {
        read();
      } catch (error) {
        errors.push(error);
      }
    };
    subject = await FaultyController.start({
      steps: {
        Updater: ({ lookUp, list, owned }) => {
          look(() => lookUp(Secret, key));
          look(() => list(Secret));
          look(() => owned(Secret));
        },
      },
    });
    const { clock, faults } = subject;
    const { watches } = faults;
    await subject.create("a");
    await clock.advance(60_000);
    const error = {
      code: "CACHE_UNDECLARED",
      message: "Secret (v1) is read but not declared",
      remedy: "Add the type Secret to the controller's owns, reads or watches.",
    };
    expect(errors).toMatchObject([error, error, error]);
    expect(faults.watches).toBe(watches);
  });
});

describe("every log line of a reconcile", () => {
  it("says which run it belongs to, what caused it, how long it waited and how far it is", async () => {
    const lines: { readonly message: string; readonly fields: Record<string, unknown> }[] = [];
    subject = await FaultyController.start(
      {
        steps: {
          Updater: async ({ log, clock }) => {
            await new Promise<void>((resolve) => void clock.setTimeout(resolve, 250));
            log.child({ mine: true }).info({ answer: 42 }, "an author's line");
            throw new Error("no");
          },
        },
      },
      1,
      (_text, line) => lines.push(line),
    );
    await subject.create("a");
    await subject.clock.advance(250);
    const ofRun = lines.filter(({ fields }) => fields["object"] === `${namespace}/a`);
    expect(new Set(ofRun.map(({ fields }) => fields["reconcileId"])).size).toBe(1);
    const causes = [{ reason: "added", kind: "Widget", object: `${namespace}/a` }];
    for (const { fields } of ofRun) {
      expect(fields).toMatchObject({ causes, waited: 0, elapsed: expect.any(Number) as number });
    }
    expect(ofRun.map(({ message, fields }) => [message, fields["elapsed"]])).toEqual([
      ["reconcile starts", 0],
      ["an author's line", 250],
      ["reconcile ended", 250],
      ["reconcile failed", 250],
    ]);
    expect(ofRun[1]?.fields).toMatchObject({ mine: true, answer: 42 });
  });
});
