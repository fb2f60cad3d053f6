// What a state machine owes its driver: the rules that OKT's own machine had or lacked, on XState's actors.
import { setup, type AnyMachineSnapshot } from "xstate";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/ports/system-clock.ts";
import { beginActor, driven, type RunningActor, type Work } from "../../src/statechart/drive.ts";
import { noInspector, type Inspector, type RootActor } from "../../src/statechart/inspection.ts";

type GraphEvent = { type: "run" | "service" | "stop" | "end" | "again" };

// Start → Run ⇄ Service, Run → Stop → End; a stable state has no default.
const graph = setup({ types: { events: {} as GraphEvent } }).createMachine({
  id: "graph",
  initial: "Start",
  states: {
    Start: { on: { end: "End", run: "Run" } },
    Run: { on: { service: "Service", stop: "Stop", again: { target: "Run", reenter: true } } },
    Service: { on: { stop: "Stop", run: "Run" } },
    Stop: { on: { end: "End" } },
    End: { type: "final" },
  },
});

const logic = driven(graph);

/** Begins an actor of the graph with this work. */
function begin(
  workers: Work["workers"],
  rest: Omit<Work, "workers"> = {},
  inspector?: Inspector,
): RunningActor {
  return beginActor(
    logic,
    {
      workers: { Start: undefined, Run: undefined, Service: undefined, Stop: undefined, ...workers },
      ...rest,
    },
    { id: "graph", clock: systemClock, ...(inspector === undefined ? {} : { inspector }) },
  );
}

/** Drives the graph with one event after the other; returns the path and the last snapshot. */
async function walk(
  ...types: readonly GraphEvent["type"][]
): Promise<{ path: string[]; last: AnyMachineSnapshot | undefined; error: unknown }> {
  const path: string[] = [];
  const events = [...types];
  const next = (): GraphEvent => {
    const type = events.shift();
    if (type === undefined) throw new Error("no event is left");
    return { type };
  };
  const workers = { Start: next, Run: next, Service: next, Stop: next };
  const { ended } = begin(workers, { onState: (state) => path.push(state) });
  const [outcome] = await Promise.allSettled([ended]);
  return outcome.status === "fulfilled"
    ? { path, last: outcome.value, error: undefined }
    : { path, last: undefined, error: outcome.reason };
}

describe("driven state machine", () => {
  it("is off before it is started, and enters its first state then", async () => {
    let before: string | undefined;
    const entered: string[] = [];
    const inspector: Inspector = {
      ...noInspector,
      begin: (root) => {
        before = `${String(root.getSnapshot().value)}, entered ${entered.length}`;
      },
    };
    await begin({ Start: () => ({ type: "end" }) }, { onState: (state) => entered.push(state) }, inspector)
      .ended;
    expect(before).toBe("Start, entered 0");
    expect(entered[0]).toBe("Start");
  }); // OKT 75

  it("enters a final state and is over", async () => {
    const { path, last } = await walk("end");
    expect(path).toEqual(["Start", "End"]);
    expect(last?.status).toBe("done");
  }); // OKT 76

  it("accepts no event once it is over", async () => {
    const { path, last } = await walk("end", "run");
    expect(path).toEqual(["Start", "End"]);
    expect(last?.can({ type: "run" })).toBe(false);
  }); // OKT 77

  it("ends at once with an error on an event that the state does not declare", async () => {
    const { path, error } = await walk("run", "run", "service", "stop", "end");
    expect(path).toEqual(["Start", "Run"]);
    expect(error).toMatchObject({
      code: "EVENT_UNDECLARED",
      message: 'machine "graph" was sent the event "run", which its state "Run" does not declare',
    });
  }); // OKT 78

  it("goes to and fro eleven times", async () => {
    const rounds = Array.from({ length: 11 }, () => ["service", "run"] as const).flat();
    const { path } = await walk("run", ...rounds, "stop", "end");
    expect(path.filter((state) => state === "Service")).toHaveLength(11);
    expect(path.filter((state) => state === "Run")).toHaveLength(12);
    expect(path.at(-1)).toBe("End");
  });

  it("ends after Stop, and is over", async () => {
    const { path, last } = await walk("run", "stop", "end");
    expect(path.slice(-2)).toEqual(["Stop", "End"]);
    expect(last?.status).toBe("done");
  }); // OKT 81

  it("goes on after a transition to itself", async () => {
    const { path } = await walk("run", "again", "again", "stop", "end");
    expect(path).toEqual(["Start", "Run", "Run", "Run", "Stop", "End"]);
  }); // OKT 83

  it("can be traced from any moment on, and no longer", async () => {
    const traced: string[] = [];
    let root: RootActor | undefined;
    let stop = (): void => undefined;
    const inspector: Inspector = { ...noInspector, begin: (live) => (root = live) };
    const workers: Work["workers"] = {
      Start: () => ({ type: "run" }),
      Run: () => {
        const subscription = root?.system.inspect((told) => {
          if (told.type === "@xstate.snapshot") traced.push(String(root?.getSnapshot().value));
        });
        stop = () => subscription?.unsubscribe();
        return { type: "service" };
      },
      Service: () => ({ type: "stop" }),
      Stop: () => {
        stop();
        return { type: "end" };
      },
    };
    await begin(workers, {}, inspector).ended;
    expect(traced).toEqual(["Service", "Stop"]);
  }); // OKT 84

  it("stays in the state whose work failed", async () => {
    const { path, error } = await walk("run");
    expect(path).toEqual(["Start", "Run"]);
    expect(error).toMatchObject({ message: "no event is left" });
  }); // OKT 85
});
