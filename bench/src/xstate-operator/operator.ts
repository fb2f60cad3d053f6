// The Widget operator of the benchmark, written as an author would: a ConfigMap for each Widget, and a condition.
import { defineController, defineKind, defineOperator } from "xstate-operator";
import { ConfigMap } from "xstate-operator/kinds";
import { configMapOf, setReady, widgetSpec, widgetType, workers } from "./widget.ts";

const Widget = defineKind({ ...widgetType, spec: widgetSpec });

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
});

export default defineOperator({ name: "widget-operator", controllers: [controller] });
