// A user's operator with one typo of each kind; every mistake stands behind the comment that says what the compiler must answer.
// Compiled by typos.test.ts, and left out of the project's own check.
import { defineController, defineKind, setupLifecycle, type InstanceOf } from "xstate-operator";
import { z } from "zod";

const prepared = setupLifecycle({
  guards: { isQuiet: () => true },
  actions: { count: ({ context }) => ({ rounds: Number(context["rounds"] ?? 0) + 1 }) },
  effects: ["notify"],
  delays: { patience: "5m" },
  tasks: ["backUp", "drain"],
  observations: ["Rolling"],
});

export const lifecycle = prepared.createMachine({
  id: "database",
  version: "1",
  initial: "Start",
  context: { rounds: 0 },
  states: {
    Start: {
      on: { "observed.Running": "Running" },
      after: { startTimeout: "HumanIntervention", "1h30m": "Running", 250: "Running" },
    },
    Running: {
      on: {
        "desired.Servicing": { target: "Servicing", guard: "isQuiet", actions: ["count", "notify"] },
        "desired.Servicing:Copying": "#database.Servicing.Copying",
        "observed.Down": [
          { target: "Start", guard: ({ event }) => event.facts["lost"] === true },
          "Servicing",
        ],
        "desired.End": "Stopping",
      },
    },
    Servicing: {
      initial: "Preparing",
      on: { "human.abort": "Running", "human.skip": ".Copying" },
      states: {
        Preparing: { after: { patience: "Copying" } },
        Copying: {
          id: "copy",
          invoke: {
            id: "backup",
            src: "backUp",
            onDone: "#database.Running",
            onError: "#database.HumanIntervention",
          },
        },
      },
    },
    Stopping: {
      invoke: { src: "drain", input: ({ context }) => context["rounds"], onDone: "End", onError: "#copy" },
    },
    End: { type: "final" },
  },
});

/** The tag says which state waits for a person; the name alone says nothing. */
export const tagged = setupLifecycle().createMachine({
  id: "tagged",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Up": "Up" }, after: { startTimeout: "HumanIntervention" } },
    Up: { on: { "observed.Bad": "Help", "desired.HumanIntervention": "HumanIntervention" } },
    HumanIntervention: { on: { "desired.Up": "Up" } },
    Help: { tags: ["intervention"], on: { "human.retry": "Start" } },
  },
});

export const typos = [
  prepared.createMachine({
    id: "m",
    initial: "A",
    states: {
      A: {
        on: {
          "human.b": "Help",
          // typo 1, an added state that is not added: '"HumanIntervention"' is not assignable to
          "human.c": "HumanIntervention",
        },
      },
      Help: { tags: "intervention" },
    },
  }),
  prepared.createMachine({
    id: "m",
    initial: "A",
    states: {
      A: {
        on: {
          // typo 1, a target state: '"Bb"' is not assignable to
          "human.b": "Bb",
          // typo 1, a target in a list: '"Bbb"' is not assignable to
          "human.c": [{ target: "B", guard: "isQuiet" }, { target: "Bbb" }],
          // typo 1, a target by id: '"#m.Bb"' is not assignable to .* Did you mean '"#m.B"'
          "human.d": { target: "#m.Bb" },
          // typo 1, a target inside: '".X"' is not assignable to
          "human.e": ".X",
          // typo 2, a guard: '"isQuite"' is not assignable to .* Did you mean '"isQuiet"'
          "human.f": { target: "B", guard: "isQuite" },
          // typo 3, an action: '"cuont"' is not assignable to .* Did you mean '"count"'
          "human.g": { target: "B", actions: "cuont" },
          // typo 9, an effect: '"notfy"' is not assignable to .* Did you mean '"notify"'
          "human.h": { target: "B", actions: ["count", "notfy"] },
        },
      },
      B: {
        after: {
          // typo 4, a delay: 'patiance' does not exist in type .* Did you mean to write 'patience'
          patiance: "A",
        },
      },
      C: {
        on: {
          // typo 5, an event family: '"observd.Running"' does not exist in type
          "observd.Running": "A",
        },
      },
      D: {
        on: {
          // typo 5, a desired state in an event: '"desired.Bb"' does not exist in type
          "desired.Bb": "B",
        },
      },
      // typo 6, a state key: 'invok' does not exist in type .* Did you mean to write 'invoke'
      E: { invok: { src: "backUp" } },
      // typo 8, a task: '"backup"' is not assignable to .* Did you mean '"backUp"'
      F: { invoke: { src: "backup" } },
      // typo 7, the initial state of a state: '"G3"' is not assignable to
      G: { initial: "G3", states: { G1: {}, G2: {} } },
      H: {
        type: "parallel",
        states: {
          Light: {
            initial: "On",
            states: {
              Off: {},
              // typo 1, in a region: '"off"' is not assignable to .* Did you mean '"Off"'
              On: { on: { "human.x": "off" } },
            },
          },
        },
      },
    },
  }),
  prepared.createMachine({
    id: "m",
    // typo 7, the initial state: '"Aa"' is not assignable to
    initial: "Aa",
    states: { A: {} },
  }),
  // typo 4, the option of delays: 'delay' does not exist in type '.{0,80}'. Did you mean to write 'delays'
  setupLifecycle({ delay: { patience: "5m" }, tasks: ["backUp"] }),
  // typo 2, names beside a type argument: 'isQuiet' does not exist in type .*write setupLifecycle<Kind>\(\)\.extend
  setupLifecycle<{ spec: object }>({ guards: { isQuiet: () => true } }),
];

const spec = z.object({ size: z.number() });
export const Database = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Database",
  spec,
  status: z.object({ phase: z.string(), rounds: z.int() }),
  lifecycle,
});
export const Misnamed = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Misnamed",
  spec,
  lifecycle,
  // typo 11, the default desired state: '"Runing"' is not assignable to .* Did you mean '"Running"'
  defaultDesiredState: "Runing",
});

export const DesiresByName = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "DesiresByName",
  spec,
  lifecycle: tagged,
  defaultDesiredState: "HumanIntervention",
});
export const DesiresByTag = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "DesiresByTag",
  spec,
  lifecycle: tagged,
  // typo 11, a default desired state by its tag: '"Help"' is not assignable to
  defaultDesiredState: "Help",
});
export const DesiresAdded = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "DesiresAdded",
  spec,
  lifecycle,
  // typo 11, the added state: '"HumanIntervention"' is not assignable to
  defaultDesiredState: "HumanIntervention",
});

const task = { start: () => undefined };

const child = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { in: "open" } };

const configuration = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "b" },
  data: { after: "dark" },
};

export const good = defineController(Database, {
  steps: {
    ObjectsGetter: ({ registry }) => {
      registry.add(child);
      registry.add(child, child, { in: ["Running", "Servicing:Copying", "HumanIntervention"] });
      registry.add(configuration, { in: ["Running"], after: [child] });
    },
    SuccessManager: ({ application }) => void (application()?.state === "Servicing:Copying"),
  },
  application: {
    observe: async ({ cr }) =>
      cr.spec.size > 0 ? { state: "Running" } : cr.spec.size < 0 ? { state: "Down" } : { state: "Rolling" },
    tasks: { backUp: task, drain: task },
    actions: { notify: () => undefined },
    statusOf: ({ state, context, facts, cr }) => ({
      phase: state === "Servicing:Copying" ? `${cr.spec.size} of ${String(facts["all"])}` : null,
      rounds: Number(context["rounds"]),
    }),
  },
});

export const misspelt = defineController(Database, {
  steps: {
    ObjectsGetter: ({ registry }) => {
      // typo 13, a state of a child: '"Runing"' is not assignable to .* Did you mean '"Running"'
      registry.add(child, { in: ["Runing", "Servicing"] });
    },
    // typo 12, a state in a hook: have no overlap
    SuccessManager: ({ application }) => void (application()?.state === "Runing"),
  },
  application: {
    // typo 10, an observed state: '"Runing"' is not assignable to
    observe: () => ({ state: "Runing" }),
    // typo 8, a task of nobody: 'darin' does not exist in type .* Did you mean to write 'drain'
    tasks: { backUp: task, drain: task, darin: task },
    // typo 14, a field of the status: '{ fase: string; }' is not assignable to type
    statusOf: () => ({ fase: "up" }),
    // typo 9, an effect of nobody: 'notfy' does not exist in type
    actions: { notfy: () => undefined },
  },
});

export const lacking = defineController(Database, {
  application: {
    // typo 10, an observed state in a function that waits: '"Bown"' is not assignable to
    observe: async () => ({ state: "Bown" }),
    // typo 8, a missing task: Property 'drain' is missing in type
    tasks: { backUp: task },
    actions: { notify: () => undefined },
    // typo 14, a value of the status: 'number' is not assignable to type
    statusOf: ({ facts }) => ({ phase: Object.keys(facts).length }),
  },
});

export const desired: NonNullable<InstanceOf<typeof Database>["spec"]["lifecycle"]> = {
  // typo 12, a desired state in code: '"Servising"' is not assignable to .* Did you mean '"Servicing"'
  desiredState: "Servising",
};

const states: Record<string, { on: Record<string, string> }> = {};
export const built = setupLifecycle().createMachine({
  id: "built",
  initial: Object.keys(states)[0] ?? "A",
  states,
});
export const unknownController = defineController(
  defineKind({
    group: "a.example.com",
    version: "v1",
    kind: "Built",
    spec,
    lifecycle: built,
    defaultDesiredState: "Whatever",
  }),
  { application: { observe: () => ({ state: "Anything" }), tasks: { any: task } } },
);

interface CopyInput {
  readonly bucket: string;
  readonly full?: boolean;
}

const given = setupLifecycle().extend({
  tasks: { copy: { input: {} as CopyInput }, tidy: {}, wait: { input: {} as number | undefined } },
  inputs: {
    nightly: ({ context }) => ({ bucket: String(context["bucket"]), full: true }),
    count: ({ event }) => Number(event.facts["count"]),
  },
});

export const copying = given.createMachine({
  id: "copying",
  version: "1",
  initial: "Idle",
  states: {
    Idle: { on: { "desired.Copying": "Copying", "desired.Whole": "Whole" } },
    Copying: { invoke: { id: "a", src: "copy", input: { bucket: "b" }, onDone: "Idle" } },
    Whole: {
      invoke: [
        { id: "b", src: "copy", input: "nightly", onDone: "Idle" },
        { id: "c", src: "tidy" },
        { id: "d", src: "wait" },
        { id: "e", src: "wait", input: "count" },
        { id: "f", src: "copy", input: ({ context }) => ({ bucket: String(context["bucket"]) }) },
        { id: "g", src: "tidy", input: ["anything", 1, null] },
      ],
    },
  },
});

export const wrongInputs = given.createMachine({
  id: "m",
  initial: "A",
  states: {
    // typo 13, a field of an input: 'buket' does not exist in type
    A: { invoke: { id: "a", src: "copy", input: { buket: "b" } } },
    // typo 13, a name that returns something else: '"count"' is not assignable to
    B: { invoke: { id: "a", src: "copy", input: "count" } },
    // typo 13, a name of nothing: '"nigthly"' is not assignable to
    C: { invoke: { id: "a", src: "copy", input: "nigthly" } },
    // typo 13, what a function returns: Type 'number' is not assignable to type 'string'
    D: { invoke: { id: "a", src: "copy", input: () => ({ bucket: 1 }) } },
    // typo 13, an input that is missing: Property 'input' is missing in type
    E: { invoke: { id: "a", src: "copy" } },
  },
});

const Copies = defineKind({
  group: "a.example.com",
  version: "v1",
  kind: "Copies",
  spec,
  lifecycle: copying,
});

export const copies = defineController(Copies, {
  application: {
    observe: () => ({ state: "Idle" }),
    tasks: {
      copy: {
        start: ({ input, context, event }) =>
          `${input.bucket}${input.full === true ? "!" : ""}${String(context["bucket"])}${event.type}`,
        // typo 13, a field of what a task is given: 'buckett' does not exist on type 'CopyInput'
        observe: ({ input }) => ({ phase: "Running", message: input.buckett }),
      },
      tidy: { start: ({ input }) => input ?? null },
      wait: { start: ({ input = 0 }) => input + 1 },
    },
  },
});

// typo 13, declared beside a type argument: 'copy' does not exist in type .*write setupLifecycle<Kind>\(\)\.extend
export const beside = setupLifecycle<{ spec: object }>({ tasks: { copy: { input: {} as CopyInput } } });

export const Disk = defineKind({
  group: "data.example.com",
  version: "v2",
  kind: "Disk",
  spec: z.object({ gb: z.int() }),
  status: z.object({ path: z.string() }),
  versions: {
    v1: {
      spec: z.object({ mb: z.int() }),
      status: z.object({ mount: z.string() }),
      convert: {
        up: ({ spec, status: { mount = "" } }) => ({ spec: { gb: spec.mb / 1024 }, status: { path: mount } }),
        // typo 15, a field of the spec that the version does not have: TS2339: Property 'mb' does not exist
        down: ({ spec }) => ({ spec: { mb: spec.mb * 1024 } }),
      },
    },
    v1beta1: {
      spec: z.object({ megabytes: z.int() }),
      convert: {
        // typo 15, a field that the kind's own version does not have: TS2(322|353|561)
        up: ({ spec }) => ({ spec: { gbs: spec.megabytes / 1024 } }),
        down: ({ spec, status }) => ({ spec: { megabytes: spec.gb * 1024 }, status }),
      },
    },
    // typo 15, an option of a version: TS2(322|353|561)
    v1alpha1: { spec: z.object({ gb: z.int() }), serve: false },
  },
});
