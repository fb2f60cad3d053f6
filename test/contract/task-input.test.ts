// What a task is given, when the operator has stopped between its start and its end: recorded in the status, and no different.
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import {
  defineController,
  defineKind,
  defineOperator,
  setupLifecycle,
  type InstanceOf,
  type TaskCall,
} from "../../src/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

interface CopyInput {
  readonly bucket: string | null;
}

const lifecycle = setupLifecycle<{ spec: { bucket: string } }>()
  .extend({
    tasks: { copy: { input: {} as CopyInput } },
    actions: { choose: ({ event }) => ({ bucket: event.spec.bucket, unset: null }) },
    inputs: { chosen: ({ context }) => ({ bucket: context["bucket"] as string, unset: context["unset"] }) },
  })
  .createMachine({
    id: "vault",
    version: "1",
    initial: "New",
    context: { bucket: "none", unset: 1 },
    states: {
      New: { on: { "observed.Idle": "Idle" } },
      Idle: { on: { "desired.Copying": { target: "Copying", actions: "choose" } } },
      Copying: {
        invoke: { id: "copy", src: "copy", input: "chosen", onDone: "Idle", onError: "HumanIntervention" },
      },
    },
  });

const Vault = defineKind({
  group: "input.test.example.com",
  version: "v1",
  kind: "Vault",
  spec: z.object({ bucket: z.string() }),
  lifecycle,
});

interface Call {
  readonly hook: string;
  readonly given: Pick<TaskCall<CopyInput>, "input" | "context" | "event" | "attempt">;
  readonly cr: InstanceOf<typeof Vault>;
}

const key = { namespace: "default", name: "orders" };

describeOnEachApiServer("what a task is given", (server) => {
  const calls: Call[] = [];
  let phase: "Running" | "Succeeded" = "Running";
  let begun = false;
  let operator: RunningOperator | undefined;
  afterAll(() => operator?.stop());

  const note = (
    hook: string,
    call: TaskCall<CopyInput> & { readonly cr: InstanceOf<typeof Vault> },
  ): void => {
    const { input, context, event, attempt, cr } = call;
    calls.push({ hook, given: { input, context, event, attempt }, cr });
  };
  const vaults = defineOperator({
    name: "vault-operator",
    controllers: [
      defineController(Vault, {
        application: {
          observe: () => ({ state: "Idle" }),
          tasks: {
            copy: {
              start: (call) => {
                note("start", call);
                begun = true;
              },
              observe: (call) => {
                note("observe", call);
                return begun ? { phase } : { phase: "NotFound" };
              },
              poll: "200ms",
            },
          },
        },
      }),
    ],
  });
  const vault = () => server().client.get(Vault, key);
  const given = {
    input: { bucket: "first", unset: null },
    context: { bucket: "first", unset: null },
    event: { type: "desired.Copying" },
    attempt: 1,
  };

  it("is what its function returns at the entry, beside the resource as it was persisted", async () => {
    operator = await startOperator(vaults, server().kubeconfig, { installCrds: true });
    await server().client.create(Vault, {
      apiVersion: "input.test.example.com/v1",
      kind: "Vault",
      metadata: key,
      spec: { bucket: "first", lifecycle: { desiredState: "Copying" } },
    });
    await eventually(() => expect(calls.map(({ hook }) => hook)).toContain("start"));
    const { given: seen, cr } = calls.find(({ hook }) => hook === "start") as Call;
    expect(seen).toEqual(given);
    expect(cr.status?.lifecycle).toMatchObject({
      state: "Copying",
      tasks: { copy: { phase: "Intended", input: given.input, event: "desired.Copying" } },
    });
  });

  it("is no different after a restart, when the spec has changed meanwhile", async () => {
    await operator?.stop();
    const body = { spec: { bucket: "second" } };
    await server().client.patch(Vault, key, { type: "merge", body }, { fieldManager: "test" });
    calls.length = 0;
    operator = await startOperator(vaults, server().kubeconfig, { installCrds: true });
    await eventually(() => expect(calls.length).toBeGreaterThan(0));
    phase = "Succeeded";
    await eventually(async () => expect((await vault()).status?.lifecycle?.state).toBe("Idle"));
    expect(new Set(calls.map(({ hook }) => hook))).toEqual(new Set(["observe"]));
    for (const call of calls) expect(call.given).toEqual(given);
  });
});
