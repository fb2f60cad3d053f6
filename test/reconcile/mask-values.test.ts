// What is told as more than a text: errors, fields of log lines, a status.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { isOperatorError, OperatorError } from "../../src/ports/operator-error.ts";
import { maskError, maskMessages, maskTexts } from "../../src/reconcile/secrets/mask-values.ts";

const password = "correct horse battery staple";
const mask = (text: string): string => text.replaceAll(password, "[redacted]");

describe("an error that quotes one", () => {
  it("is told without it, and is the same error otherwise", () => {
    const error = new OperatorError("X_FAILED", `refused ${password}`, {
      cause: new Error(password),
      remedy: "r",
    });
    const masked = maskError(error, mask);
    expect(masked.message).toBe("refused [redacted]");
    expect(isOperatorError(masked, "X_FAILED")).toBe(true);
    expect(masked.remedy).toBe("r");
    expect(masked.stack).not.toContain(password);
    expect((masked.cause as Error).message).toBe("[redacted]");
  });

  it("is told without it wherever it has it", () => {
    const cause = new Error("why", { cause: `deep ${password}` });
    const error = new OperatorError("X_FAILED", "no", {
      cause,
      fields: { at: { url: `db://u:${password}@h` } },
      remedy: `try ${password}`,
    });
    const masked = maskError(error, mask);
    expect(inspect([masked.message, masked.cause, masked.fields, masked.remedy, masked.stack])).not.toContain(
      password,
    );
    expect((masked.cause as Error).message).toBe("why");
    expect(masked.fields).toEqual({ at: { url: "db://u:[redacted]@h" } });
  });

  it("is handed on as it is when it quotes none", () => {
    const error = new OperatorError("X", "no", { fields: { size: 1 }, cause: new Error("why") });
    expect(maskError(error, mask)).toBe(error);
  });
});

describe("a status that quotes one", () => {
  it("is written without it in its messages; other fields are the author's", () => {
    const status = { tasks: [{ message: `no: ${password}`, id: "1" }], url: password };
    expect(maskMessages(status, mask)).toEqual({
      tasks: [{ message: "no: [redacted]", id: "1" }],
      url: password,
    });
  });

  it("is the same value when there is nothing to leave out", () => {
    const status = { tasks: [{ message: "fine" }], list: [1, null, "x"] };
    expect(maskMessages(status, mask)).toBe(status);
  });
});

describe("any value that holds one", () => {
  const circle: Record<string, unknown> = { text: password };
  circle["self"] = circle;

  it.each<[string, unknown]>([
    ["deep inside", { a: [{ b: { c: [password] } }] }],
    ["in a Map", { cache: new Map([["a", { password }]]) }],
    ["in a Set", new Set([password])],
    ["behind a toJSON", { at: { toJSON: () => ({ where: password }) } }],
    ["in an error within", { failed: [new Error(password)] }],
    ["in a circle", circle],
  ])("is told without it %s", (_, value) => {
    const told = maskTexts(value, mask);
    expect(inspect(told, { depth: 3 })).not.toContain(password);
    expect(inspect(told, { depth: 9 })).toContain("[redacted]");
  });

  it("is handed on as it is when it has none, and costs no line when it cannot be read", () => {
    const value = { at: new Date(0), map: new Map([["a", 1]]), list: [null, undefined, 1n] };
    expect(maskTexts(value, mask)).toBe(value);
    const hostile = {
      get broken(): string {
        throw new Error("no");
      },
    };
    expect(maskTexts({ hostile, ok: 1 }, mask)).toEqual({ hostile: "[unreadable]", ok: 1 });
  });
});
