// Machines that are hard to draw: every kind of state and edge, and names that mean something to the drawing languages.
import { createMachine, type AnyStateMachine } from "xstate";

export const everyEdge: AnyStateMachine = createMachine({
  id: "every edge",
  initial: "Idle",
  on: { "human.stop": ".End" },
  states: {
    Idle: {
      entry: "prepare",
      exit: ["tidy", "tell"],
      always: { guard: "isLate", target: "Working" },
      on: {
        go: { target: "Working", actions: ["count", "log"] },
        note: { actions: "log" },
        again: { target: "Idle", reenter: true },
      },
      after: { "90s": "Working", 1000: "Idle" },
    },
    Working: {
      initial: "First",
      invoke: { id: "backup", src: "backUp", onDone: "Both", onError: "Idle" },
      on: { back: ".First", whole: { target: "Working", reenter: true }, up: ".Memory" },
      states: {
        First: { on: { next: "Second" } },
        Second: {
          initial: "Deep",
          states: { Deep: { on: { out: "#every edge.Both", parent: "#every edge.Working" } } },
        },
        Memory: { type: "history", history: "deep" },
      },
    },
    Both: {
      type: "parallel",
      on: { leave: "End" },
      states: {
        Left: { initial: "Off", states: { Off: { on: { on: "On" } }, On: {} } },
        Right: { initial: "Off", states: { Off: { on: { on: "On" } }, On: {} } },
      },
    },
    End: { type: "final" },
  },
});

const name = (text: string): string => text;

export const oddNames: AnyStateMachine = createMachine({
  id: 'odd "names"; {}',
  initial: "end",
  states: {
    end: { on: { "a:b;c": "state" } },
    state: { on: { '"quoted" --> x': name("with spaces") } },
    "with spaces": { on: { "100%%": name("new\nline") } },
    "new\nline": { on: { "<b>&amp;</b>": "42" } },
    "42": { on: { "back\\slash\\n": "ünïcödé" } },
    ünïcödé: { on: { "#hash": "[*]" } },
    "[*]": { on: { "{brace}": "note" } },
    note: { on: { "note right of": "a_b" } },
    a_b: { on: { "direction LR": "a-b" } },
    "a-b": { on: { "-- --": "default" } },
    default: {
      initial: "class",
      on: { "`tick`|pipe~": '"' },
      states: { class: { on: { "<<fork>>": "style" } }, style: {} },
    },
    '"': { on: { "😀": "constructor" } },
    constructor: { on: { __proto__: "End" } },
    End: { type: "final" },
  },
});

export const parallelTop: AnyStateMachine = createMachine({
  id: "parallel",
  type: "parallel",
  states: {
    Data: { initial: "Cold", states: { Cold: { on: { warm: "Hot" } }, Hot: {} } },
    Access: { initial: "Closed", states: { Closed: { on: { open: "Open" } }, Open: {} } },
  },
});
