// The same operator with a lifecycle: what the persisted state machine of an application costs on top.
import { defineController, defineKind, defineOperator, setupLifecycle } from "xstate-operator";
import { ConfigMap } from "xstate-operator/kinds";
import { configMapOf, setReady, widgetSpec, widgetType, workers } from "./widget.ts";

const lifecycle = setupLifecycle().createMachine({
  id: "widget",
  version: "1",
  initial: "Start",
  states: {
    Start: {
      on: { "observed.Up": "Running", "desired.End": "End" },
      after: { startTimeout: "HumanIntervention" },
    },
    Running: { on: { "observed.Down": "Start", "desired.End": "End" } },
    End: { type: "final" },
  },
});

// Without a finalizer, as the other operators have none.
const Widget = defineKind({ ...widgetType, spec: widgetSpec, lifecycle, finalize: false });

const controller = defineController(Widget, {
  owns: [ConfigMap],
  workers,
  steps: {
    ObjectsGetter: ({ cr, registry }) => registry.add(configMapOf(cr)),
    SuccessManager: ({ status }) => {
      setReady(status);
      return {};
    },
  },
  application: {
    observe: ({ cr: { metadata }, lookUp }) => ({
      state: lookUp(ConfigMap, { ...metadata, name: `w-${metadata.name}` }) === undefined ? "Down" : "Up",
    }),
    // Nothing changes an application here but its ConfigMap, which is watched.
    poll: "1h",
  },
});

export default defineOperator({ name: "widget-operator", controllers: [controller] });
