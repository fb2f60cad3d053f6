// What a state machine owes its driver: the rules that OKT's own machine had or lacked, on XState through `drive`.
import { setup, type AnyActorRef } from "xstate";
import { describe, expect, it } from "vitest";
import { drive } from "../../src/statechart/drive.ts";

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

/** Drives the graph with one event after the other; returns the path and the actor. */
async function walk(
  ...types: readonly GraphEvent["type"][]
): Promise<{ path: string[]; actor: AnyActorRef }> {
  const path: string[] = [];
  const events = [...types];
  let actor: AnyActorRef | undefined;
  const next = (): GraphEvent => {
    const type = events.shift();
    if (type === undefined) throw new Error("no event is left");
    return { type };
  };
  await drive<GraphEvent>({
    machine: graph,
    workers: { Start: next, Run: next, Service: next, Stop: next },
    onState: (state) => path.push(state),
    onActor: (live) => (actor = live),
  }).catch((error: unknown) => {
    if (!(error instanceof Error) || error.message !== "no event is left") throw error;
  });
  if (actor === undefined) throw new Error("no actor was made");
  return { path, actor };
}

describe("driven state machine", () => {
  it("is off before it is started, and enters its first state then", async () => {
    let before: string | undefined;
    const entered: string[] = [];
    await drive<GraphEvent>({
      machine: graph,
      workers: { Start: () => ({ type: "end" }) },
      onActor: (actor) => {
        before = (actor as unknown as { _processingStatus: number })._processingStatus === 0 ? "off" : "on";
      },
      onState: (state) => entered.push(state),
    });
    expect(before).toBe("off");
    expect(entered[0]).toBe("Start");
  }); // OKT 75

  it("enters a final state and is over", async () => {
    const { path, actor } = await walk("end");
    expect(path).toEqual(["Start", "End"]);
    expect(actor.getSnapshot().status).toBe("done");
  }); // OKT 76

  it("accepts no event once it is over", async () => {
    const { path, actor } = await walk("end", "run");
    expect(path).toEqual(["Start", "End"]);
    expect(actor.getSnapshot().can({ type: "run" })).toBe(false);
  }); // OKT 77

  it("stays where it is, without an error, on an event that the state does not declare", async () => {
    const { path } = await walk("run", "run", "service", "stop", "end");
    expect(path).toEqual(["Start", "Run", "Run", "Service", "Stop", "End"]);
  }); // OKT 78

  it("goes to and fro eleven times", async () => {
    const rounds = Array.from({ length: 11 }, () => ["service", "run"] as const).flat();
    const { path } = await walk("run", ...rounds, "stop", "end");
    expect(path.filter((state) => state === "Service")).toHaveLength(11);
    expect(path.filter((state) => state === "Run")).toHaveLength(12);
    expect(path.at(-1)).toBe("End");
  }); // OKT 79

  it("takes the weightier of two events when the driver orders them", async () => {
    // Where several events hold at once, the worker names the first that the state declares.
    const wanted = ["stop", "run"] as const;
    const { path } = await walk("run", "service", wanted[0], "end");
    expect(path).toEqual(["Start", "Run", "Service", "Stop", "End"]);
  }); // OKT 80

  it("ends after Stop, and is over", async () => {
    const { path, actor } = await walk("run", "stop", "end");
    expect(path.slice(-2)).toEqual(["Stop", "End"]);
    expect(actor.getSnapshot().status).toBe("done");
  }); // OKT 81

  it("walks from start to end", async () => {
    expect((await walk("run", "stop", "end")).path).toEqual(["Start", "Run", "Stop", "End"]);
  }); // OKT 82

  it("goes on after a transition to itself", async () => {
    const { path } = await walk("run", "again", "again", "stop", "end");
    expect(path).toEqual(["Start", "Run", "Run", "Run", "Stop", "End"]);
  }); // OKT 83

  it("can be traced from any moment on, and no longer", async () => {
    const traced: string[] = [];
    let stop = (): void => undefined;
    let live: AnyActorRef | undefined;
    await drive<GraphEvent>({
      machine: graph,
      workers: {
        Start: () => ({ type: "run" }),
        Run: () => {
          const subscription = live?.subscribe((snapshot) => traced.push(String(snapshot.value)));
          stop = () => subscription?.unsubscribe();
          return { type: "service" };
        },
        Service: () => ({ type: "stop" }),
        Stop: () => {
          stop();
          return { type: "end" };
        },
      },
      onActor: (actor) => (live = actor),
    });
    expect(traced).toEqual(["Service", "Stop"]);
  }); // OKT 84

  it("stays in the state whose work failed", async () => {
    const { path, actor } = await walk("run");
    expect(path).toEqual(["Start", "Run"]);
    expect(actor.getSnapshot().value).toBe("Run");
    expect(actor.getSnapshot().status).toBe("stopped");
  }); // OKT 85
});
