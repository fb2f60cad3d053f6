import { z } from "zod";
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { checkControllerOptions } from "../../src/controller/declaration/check-controller-options.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";

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
    const application: object = { observe, tasks: { wrok: task } };
    let thrown: unknown;
    try {
      defineController(Living, { application } as never);
    } catch (error: unknown) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: "CONTROLLER_INVALID",
      message: [
        "the controller of Living has errors:",
        '- Running asks for the effect "notify", which is not implemented (Add it to application.actions; known are: none.)',
        '- Busy invokes the task "work", which does not exist (Add it to application.tasks; known are: wrok.)',
      ].join("\n"),
      fields: {
        machine: "living",
        problems: [{ code: "ACTION_UNKNOWN" }, { code: "TASK_UNKNOWN" }, { code: "TASK_UNUSED" }],
      },
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

describe("the options of a controller", () => {
  const define = (options: object, more: object = {}): unknown =>
    defineController(Living, {
      application: { observe, tasks: { work: task }, actions: { notify: () => undefined }, ...more },
      ...options,
    });

  it.each<[string, object, object, RegExp]>([
    ["no observer", {}, { observe: undefined }, /application\.observe is missing \(Write observe/],
    ["an empty application", { application: {} }, {}, /application\.observe is missing/],
    [
      "an observer that is none",
      {},
      { observe: "Running" },
      /application\.observe is "Running", but must be a function/,
    ],
    ["a poll in other words", {}, { poll: "soon" }, /application\.poll is "soon", but must be a duration/],
    ["a poll without a pause", {}, { poll: 0 }, /application\.poll is 0, but must be a duration above 0/],
    ["a time limit below nothing", {}, { observeTimeout: -1 }, /application\.observeTimeout is -1/],
    ["a task that cannot start", {}, { tasks: { work: {} } }, /application\.tasks\.work\.start is missing/],
    [
      "a task that is none",
      {},
      { tasks: { work: 1 } },
      /application\.tasks\.work is 1, but must be an object/,
    ],
    [
      "a compensation that is none",
      {},
      { tasks: { work: { ...task, compensate: "undo" } } },
      /application\.tasks\.work\.compensate is "undo", but must be a function/,
    ],
    [
      "tries in words",
      {},
      { tasks: { work: { ...task, retry: { attempts: "3" } } } },
      /application\.tasks\.work\.retry\.attempts is "3", but must be a whole number from 1/,
    ],
    [
      "a misspelt option deep inside",
      {},
      { tasks: { work: { ...task, timeOut: "1m" } } },
      /application\.tasks\.work has no option "timeOut".*Did you mean "timeout"\?/,
    ],
    ["a misspelt option", { ownes: [] }, {}, /defineController has no option "ownes".*Did you mean "owns"\?/],
    [
      "a hook by another name",
      { steps: { ObjectGetter: () => undefined } },
      {},
      /steps has no option "ObjectGetter".*Did you mean "ObjectsGetter"\?/,
    ],
    ["a type that was never imported", { owns: [undefined] }, {}, /owns\[0\] is missing/],
    ["a type by its name", { reads: ["Pod"] }, {}, /reads\[0\] is "Pod", but must be a Kubernetes type/],
    ["a watch that leads nowhere", { watches: [{ type: Plain }] }, {}, /watches\[0\]\.mapTo is missing/],
    ["no worker", { workers: 0 }, {}, /workers is 0, but must be a whole number from 1/],
    ["a circle of one run", { hotLoop: { runs: 1 } }, {}, /hotLoop\.runs is 1/],
    [
      "a fight that is a text",
      { fieldFights: "off" },
      {},
      /fieldFights is "off", but must be false or an object/,
    ],
  ])("are refused for %s", (_, options, application, message) => {
    expect(() => define(options, application)).toThrow(message);
    expect(() => define(options, application)).toThrow(
      expect.objectContaining({ code: "CONTROLLER_INVALID" }),
    );
  });

  it("may turn a detector off, and leave everything out", () => {
    expect(() =>
      define({ hotLoop: false, fieldFights: false, maxCreations: 0, owns: undefined }),
    ).not.toThrow();
  });

  it("are those of a kind", () => {
    expect(() => defineController(undefined as never, {})).toThrow(/was given undefined as its kind/);
  });

  it("warn about tasks and actions that nothing asks for", () => {
    const application = {
      observe,
      tasks: { work: task, rest: task },
      actions: { notify: observe, shout: observe },
    };
    expect(
      checkControllerOptions(Living, { application }).map(({ code, severity, option }) => [
        code,
        severity,
        option,
      ]),
    ).toEqual([
      ["TASK_UNUSED", "warning", "application.tasks.rest"],
      ["ACTION_UNUSED", "warning", "application.actions.shout"],
    ]);
  });
});

describe("the options of an operator", () => {
  const controllers = [defineController(Plain, {})];

  it.each<[string, object, RegExp]>([
    ["no name", { controllers }, /name is missing/],
    ["no controllers", { name: "plain" }, /controllers is missing/],
    [
      "a kind in place of its controller",
      { name: "plain", controllers: [Plain] },
      /controllers\[0\] is an object/,
    ],
    ["a misspelt option", { name: "plain", controllers, controller: 1 }, /has no option "controller"/],
  ])("are refused for %s", (_, options, message) => {
    expect(() => defineOperator(options as never)).toThrow(message);
    expect(() => defineOperator(options as never)).toThrow(
      expect.objectContaining({ code: "OPERATOR_INVALID" }),
    );
  });
});
