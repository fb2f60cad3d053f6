import { z } from "zod";
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController, type ApplicationOptions } from "../../src/controller/define-controller.ts";
import { defineKind, type CustomResource } from "../../src/kinds/define-kind.ts";

const names = { group: "test.example.com", version: "v1", spec: z.object({}) };
const Plain = defineKind({ ...names, kind: "Plain" });
const Living = defineKind({
  ...names,
  kind: "Living",
  lifecycle: setupLifecycle({ effects: ["notify"] }).createMachine({
    id: "living",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Up": "Running" } },
      Running: { entry: "notify", on: { "desired.Busy": "Busy" } },
      Busy: { invoke: { id: "work", src: "work", onDone: "Running", onError: "HumanIntervention" } },
    },
  }),
});

const observe = (): object => ({});
const task = { start: (): void => undefined };

describe("a controller", () => {
  it("is declared when its application has every task and action that the lifecycle names", () => {
    const application = { observe, tasks: { work: task }, actions: { notify: () => undefined } };
    expect(defineController(Living, { application })).toMatchObject({ kind: { kind: "Living" } });
  });

  it("is refused with every task and action that is missing, and what to do about each", () => {
    const application: ApplicationOptions<CustomResource> = { observe, tasks: { wrok: task } };
    let thrown: unknown;
    try {
      defineController(Living, { application });
    } catch (error: unknown) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: "CONTROLLER_INVALID",
      message: [
        "the controller of Living lacks what its lifecycle asks for:",
        '- Running asks for the effect "notify", which nobody carries out (Add it to application.actions; known are: none.)',
        '- Busy invokes the task "work", which does not exist (Add it to application.tasks; known are: wrok.)',
      ].join("\n"),
      fields: { machine: "living", problems: [{ code: "ACTION_UNKNOWN" }, { code: "TASK_UNKNOWN" }] },
    });
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      "both engines",
      () => defineController(Plain, { steps: {}, freeStyle: () => undefined }),
      /has both steps and freeStyle/,
    ],
    [
      "an application without a lifecycle",
      () => defineController(Plain, { application: { observe } }),
      /has no lifecycle/,
    ],
    ["a lifecycle without an application", () => defineController(Living, {}), /has no application/],
  ])("is refused for %s", (_, define, message) => {
    expect(define).toThrow(message);
  });
});
