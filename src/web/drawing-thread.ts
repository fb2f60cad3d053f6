// The thread in which graphs are drawn: the layout engine takes as long as a graph is large, and must not make the operator
// wait. Started and ended by graph-drawer.ts.
import { parentPort } from "node:worker_threads";
import { layoutOf } from "../diagram/layout-of.ts";
import { svgOf } from "../diagram/svg.ts";
import type { MachineGraph } from "../statechart/graph.ts";

parentPort?.on("message", (graph: MachineGraph) => {
  layoutOf(graph).then(
    (layout) => parentPort?.postMessage({ drawing: svgOf(layout, undefined, { unstyled: true }) }, []),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }, []),
  );
});
