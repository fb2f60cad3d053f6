// The lifecycle's drawing: one for each kind.
import { html } from "htm/preact";
import type { DiagramMarks } from "../../diagram/marks.ts";
import { DrawingFrame } from "../../web/browser/drawing-frame.ts";

interface GraphViewProps {
  readonly kind: string;
  readonly marks: DiagramMarks;
}

export function GraphView({ kind, marks }: GraphViewProps) {
  return html`<${DrawingFrame}
    source=${{ address: `api/graph?kind=${encodeURIComponent(kind)}` }}
    marks=${marks}
    label="Lifecycle"
    instead=${() => html`<p>This kind has no lifecycle.</p>`}
  />`;
}
