// One machine: drawn, with the present state lit and the last edge marked; as a list where it cannot be drawn.
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { light, parseDrawing, showLit } from "../../diagram/browser/lit-drawing.ts";
import type { SeenActor } from "./actor-log.ts";
import { graphOfDefinition } from "./definition-graph.ts";
import { outlineOf, type OutlineState } from "./machine-outline.ts";
import { marksOfStep, type MarkedStep } from "./machine-marks.ts";

interface MachineViewProps {
  readonly config: NonNullable<SeenActor["config"]>;
  readonly step: MarkedStep;
}

export function MachineView({ config, step }: MachineViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<SVGElement | "none">();
  const graph = useMemo(() => graphOfDefinition(config), [config]);
  useEffect(() => {
    let current = true;
    const show = async (): Promise<void> => {
      const drawn = graph === undefined ? undefined : await draw(JSON.stringify(graph));
      // Each view has its own copy: the same machine may be lit in several ways.
      if (current) setDrawing((drawn?.cloneNode(true) as SVGElement | undefined) ?? "none");
    };
    void show();
    return () => {
      current = false;
    };
  }, [graph]);
  useEffect(() => {
    if (drawing instanceof SVGElement) frame.current?.replaceChildren(drawing);
  }, [drawing]);
  useEffect(() => {
    if (!(drawing instanceof SVGElement) || graph === undefined) return;
    light(drawing, marksOfStep(graph, step));
    if (frame.current !== null) showLit(frame.current);
  }, [drawing, graph, step.before, step.value, step.eventType]);
  if (drawing === "none") {
    const states = outlineOf(config, step.value);
    return html`<p class="quiet">It cannot be drawn, so it is listed.</p>
      <${States} states=${states} />`;
  }
  return html`<div class="drawing" ref=${frame} tabindex="0" role="group" aria-label="Drawing">
    ${drawing === undefined ? html`<p>Drawing …</p>` : null}
  </div>`;
}

const drawings = new Map<string, Promise<SVGElement | undefined>>();

function draw(graph: string): Promise<SVGElement | undefined> {
  const known = drawings.get(graph);
  if (known !== undefined) return known;
  const loading = fetch("drawing", { method: "POST", body: graph })
    .then(async (answer) => (answer.ok ? parseDrawing(await answer.text()) : undefined))
    .catch(() => {
      // The operator is away; it may be back.
      drawings.delete(graph);
      return undefined;
    });
  drawings.set(graph, loading);
  return loading;
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
