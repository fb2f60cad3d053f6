// A task of a service: polled only once it was started, started again under the same key when nobody knows.
import { describe, expect, it } from "vitest";
import { pollTask } from "../../src/controller/tasks/poll-task.ts";
import type { TaskCall } from "../../src/lifecycle/tasks/task-definition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { HookContext } from "../../src/reconcile/hook-context.ts";

type Given = HookContext<KubeObject> & TaskCall;

const callOf = (call: Partial<TaskCall>): Given => ({ key: "work-1-1", started: true, ...call }) as Given;

describe("a task that polls", () => {
  it("is asked for no more than a start until that is known to have been made", async () => {
    const polled: unknown[] = [];
    const task = pollTask({ start: ({ key }) => key, poll: ({ handle }) => polled.push(handle) > 1 });
    expect(await task.observe?.(callOf({ started: false }))).toEqual({ phase: "NotFound" });
    expect(polled).toEqual([]);
    const handle = (await task.start(callOf({}))) as string;
    expect(await task.observe?.(callOf({ handle }))).toEqual({ phase: "Running" });
    expect(await task.observe?.(callOf({ handle }))).toEqual({ phase: "Succeeded" });
    expect(polled).toEqual(["work-1-1", "work-1-1"]);
  });

  it("passes on what poll says in full, and the interval as the time between two looks", async () => {
    const seen = { phase: "Running", progress: { done: 2, total: 3, what: "shards moved" } } as const;
    const task = pollTask({
      start: () => undefined,
      poll: () => seen,
      interval: "10s",
      retry: { attempts: 2 },
    });
    expect(await task.observe?.(callOf({}))).toEqual(seen);
    expect(task).toMatchObject({ poll: "10s", retry: { attempts: 2 } });
  });

  it("is refused with options that are wrong", () => {
    expect(() => pollTask({ start: () => undefined, pol: () => true } as never)).toThrow(
      expect.objectContaining({ code: "CONTROLLER_INVALID" }),
    );
  });
});
