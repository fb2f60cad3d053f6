// One machine: drawn, with the present state lit and the last edge marked; as a list where it cannot be drawn.
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import type { DiagramMarks } from "../../diagram/marks.ts";
import { DrawingFrame } from "../../web/browser/drawing-frame.ts";
import type { SeenActor } from "./actor-log.ts";
import { graphOfDefinition } from "./definition-graph.ts";
import { outlineOf, type OutlineState } from "./machine-outline.ts";
import { marksOfStep, type MarkedStep } from "./machine-marks.ts";

interface MachineViewProps {
  readonly config: NonNullable<SeenActor["config"]>;
  readonly step: MarkedStep;
}

const noMarks: DiagramMarks = { active: [], planned: [], edges: [] };

export function MachineView({ config, step }: MachineViewProps) {
  const graph = useMemo(() => graphOfDefinition(config), [config]);
  const source = useMemo(
    () => (graph === undefined ? undefined : { address: "drawing", graph: JSON.stringify(graph) }),
    [graph],
  );
  const marks = useMemo(
    () => (graph === undefined ? noMarks : marksOfStep(graph, step)),
    [graph, step.before, step.value, step.eventType],
  );
  return html`<${DrawingFrame}
    source=${source}
    marks=${marks}
    label="Drawing"
    instead=${() =>
      html`<p class="quiet">The machine cannot be drawn; its states are listed instead.</p>
        <${States} states=${outlineOf(config, step.value)} />`}
  />`;
}

function States({ states }: { readonly states: readonly OutlineState[] }) {
  return html`<ul class="states">
    ${states.map(
      (state) =>
        html`<li key=${state.name} class=${`state ${state.type}${state.active ? " active" : ""}`}>
          <span class="name">${state.name}</span>
          ${state.active ? html`<span class="lit"> (active)</span>` : null}
          ${
            state.type === "atomic" || state.type === "compound"
              ? null
              : html`<span class="kind"> ${state.type}</span>`
          }
          ${
            state.edges.length === 0
              ? null
              : html`<ul class="edges">
                  ${state.edges.map(
                    ({ label, targets }) =>
                      html`<li>
                        ${label}${targets.length === 0 ? null : html` <span class="to">→ ${targets.join(", ")}</span>`}
                      </li>`,
                  )}
                </ul>`
          }
          ${state.states.length === 0 ? null : html`<${States} states=${state.states} />`}
        </li>`,
    )}
  </ul>`;
}
