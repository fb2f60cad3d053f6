// A look that hangs, at the application or at a task: what is due meanwhile, and what a person changes, does not wait for it.
import { afterEach, describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { subjectOf } from "../../src/testing/lifecycle/subject.ts";
import { startOperatorProcess, type OperatorProcess } from "../../src/testing/simulation/operator-process.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";
import type { LivingResource } from "./simulated-life.ts";

const machine = setupLifecycle().createMachine({
  id: "looked-at",
  version: "1",
  initial: "Running",
  states: {
    Running: {
      on: { "desired.Serving": "Serving", "desired.Patient": "Patient", "desired.Working": "Working" },
    },
    Serving: { on: { "human.halt": "Halted", "desired.Running": "Running" } },
    Halted: { on: { "human.continue": "Running" } },
    Patient: { after: { "5s": "Serving" }, on: { "desired.Running": "Running" } },
    Working: { invoke: { id: "work", src: "work", onDone: "Running", onError: "Halted" } },
  },
});

const processes: OperatorProcess[] = [];
afterEach(() => {
  for (const process of processes.splice(0)) process.kill();
});

interface Given {
  /** Whether a look that hangs ends with its signal. */
  readonly obeys: boolean;
}

async function begin({ obeys }: Given) {
  const { kind } = subjectOf(machine, {});
  const server = await startSimulatedServer([kind]);
  const world = { hangs: false, taskHangs: false, looks: 0, open: 0, most: 0, aborted: 0 };
  const answers: (() => void)[] = [];
  const hang = async (signal: AbortSignal): Promise<void> => {
    world.open += 1;
    world.most = Math.max(world.most, world.open);
    await new Promise<void>((resolve) => {
      answers.push(resolve);
      signal.addEventListener("abort", () => {
        world.aborted += 1;
        if (obeys) resolve();
      });
    });
    world.open -= 1;
  };
  const process = await startOperatorProcess({
    core: server.core,
    clock: server.clock,
    random: server.random,
    log: silentLogger,
    operator: () =>
      defineOperator({
        name: "looking-operator",
        controllers: [
          defineController(kind as never, {
            application: {
              observe: async ({ signal }) => {
                world.looks += 1;
                if (world.hangs) await hang(signal);
                return {};
              },
              tasks: {
                work: {
                  start: () => undefined,
                  observe: async ({ signal }: { readonly signal: AbortSignal }) => {
                    if (world.taskHangs) await hang(signal);
                    return { phase: "Running" };
                  },
                  cancel: () => undefined,
                  timeout: "15s",
                  poll: "10s",
                },
              } as never,
              poll: "10m",
            },
          }),
        ],
      }),
  });
  processes.push(process);
  const key = { namespace: "default", name: "one" };
  const patch = async (body: object): Promise<void> => {
    await server.client.patch(kind, key, { type: "merge", body });
    await server.clock.advance(0);
  };
  const desire = (desiredState: string): Promise<void> => patch({ spec: { lifecycle: { desiredState } } });
  const send = (event: string): Promise<void> =>
    patch({ metadata: { annotations: { "lifecycle.xstate-operator.dev/event": event } } });
  const resource = () => server.client.get<LivingResource>(kind as never, key);
  const state = async (): Promise<string | undefined> => (await resource()).status?.lifecycle?.state;
  const condition = async () =>
    (await resource()).status?.conditions?.find(({ type }) => type === "Lifecycle");
  await server.client.create(kind, {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: key,
    spec: { lifecycle: { desiredState: "Running" } },
  });
  await server.clock.advance(1_000);
  const answer = (): void => {
    for (const resolve of answers.splice(0)) resolve();
  };
  return { server, world, desire, send, state, condition, answer, patch, resource, kind, key };
}

describe.each([{ obeys: true }, { obeys: false }])("a look that hangs, signal obeyed: $obeys", (given) => {
  it("does not hold up an edit that comes meanwhile, and says that it was not observed", async () => {
    const { server, world, desire, state, condition } = await begin(given);
    world.hangs = true;
    await desire("Serving");
    await server.clock.advance(1_000);
    expect(await state()).toBe("Running");
    await desire("Patient");
    await server.clock.advance(1_000);
    expect(await state()).toBe("Patient");
    expect(world.aborted).toBeGreaterThan(0);
    expect(await condition()).toMatchObject({
      status: "Unknown",
      message: expect.stringContaining("the application cannot be observed: observe"),
    });
    expect(world.most).toBe(1);
  });

  it("does not hold up a human event", async () => {
    const { server, world, desire, send, state } = await begin(given);
    await desire("Serving");
    await server.clock.advance(1_000);
    world.hangs = true;
    await server.clock.advance(600_000);
    await send("halt");
    await server.clock.advance(2_000);
    expect(await state()).toBe("Halted");
  });

  it("does not hold up a timer that falls due", async () => {
    const { server, world, desire, state } = await begin(given);
    await desire("Patient");
    await server.clock.advance(0);
    expect(await state()).toBe("Patient");
    world.hangs = true;
    await server.clock.advance(4_900);
    expect(await state()).toBe("Patient");
    await server.clock.advance(600);
    expect(await state()).toBe("Serving");
    expect(world.most).toBe(1);
  });

  it("is repeated, and once it is answered the condition is as before", async () => {
    const { server, world, desire, state, condition, answer } = await begin(given);
    world.hangs = true;
    await desire("Serving");
    await server.clock.advance(500);
    await desire("Patient");
    await server.clock.advance(500);
    world.hangs = false;
    answer();
    const { looks } = world;
    await server.clock.advance(10_000);
    expect(world.looks).toBeGreaterThan(looks);
    expect(await state()).toBe("Serving");
    expect((await condition())?.message).not.toContain("cannot be observed");
  });

  it("at a task does not hold up the task's deadline", async () => {
    const { server, world, patch, state } = await begin(given);
    await patch({ spec: { lifecycle: { desiredState: "Working", request: "once" } } });
    await server.clock.advance(10_000);
    expect(await state()).toBe("Working");
    world.taskHangs = true;
    await server.clock.advance(4_500);
    expect(world.open).toBe(1);
    expect(await state()).toBe("Working");
    await server.clock.advance(1_500);
    expect(await state()).toBe("Halted");
    expect(world.most).toBe(1);
  });
});

it("a look that ignores its signal is not begun again before its time is over, and its late answer is dropped", async () => {
  const { server, world, desire, condition } = await begin({ obeys: false });
  world.hangs = true;
  await desire("Serving");
  await server.clock.advance(500);
  await desire("Patient");
  const { looks } = world;
  await server.clock.advance(2_000);
  expect(world.looks).toBe(looks);
  expect((await condition())?.message).toContain("observe ignores its signal, and has not returned since");
  await server.clock.advance(10_000);
  expect(world.looks).toBeGreaterThan(looks);
});

it("a slow look that nobody hurries is waited for", async () => {
  const { server, world, desire, condition, answer } = await begin({ obeys: true });
  world.hangs = true;
  await desire("Serving");
  await server.clock.advance(5_000);
  answer();
  world.hangs = false;
  await server.clock.advance(100);
  expect(world.aborted).toBe(0);
  expect((await condition())?.message).not.toContain("cannot be observed");
});
