// Work that waits only where there is something to wait for.
import { describe, expect, it } from "vitest";
import { awaited, follow, isPromise, type Steps } from "../../src/ports/eventual.ts";

function* sum(...values: readonly (Promise<number> | number)[]): Steps<number> {
  let total = 0;
  for (const value of values) total += isPromise(value) ? yield* awaited(value) : value;
  return total;
}

describe("steps", () => {
  it("are done at once where nothing has to be waited for", () => {
    expect(follow(sum(1, 2, 3))).toBe(6);
  });

  it("throw at once what they throw before they wait", () => {
    const steps = (function* (isBroken: boolean): Steps<void> {
      if (isBroken) throw new Error("broken");
      yield Promise.resolve();
    })(true);
    expect(() => follow(steps)).toThrow("broken");
  });

  it("wait for each promise in its turn", async () => {
    await expect(follow(sum(1, Promise.resolve(2), Promise.resolve(3), 4))).resolves.toBe(10);
  });

  it("are thrown what a promise rejects with where they wait for it, and may go on", async () => {
    const seen: string[] = [];
    const steps = (function* (): Steps<string> {
      try {
        yield Promise.reject(new Error("first"));
      } catch (error) {
        seen.push((error as Error).message);
      } finally {
        seen.push("cleaned up");
      }
      return yield* awaited(Promise.reject<string>(new Error("second")));
    })();
    await expect(follow(steps)).rejects.toThrow("second");
    expect(seen).toEqual(["first", "cleaned up"]);
  });

  it("reject with what they throw after they have waited", async () => {
    const steps = (function* (): Steps<void> {
      yield Promise.resolve();
      throw new Error("late");
    })();
    await expect(follow(steps)).rejects.toThrow("late");
  });
});
