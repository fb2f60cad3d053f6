// The lifecycle's drawing: loaded once for each kind, lit anew for each moment.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { light, parseDrawing, showLit } from "../../diagram/browser/lit-drawing.ts";
import type { DiagramMarks } from "../../diagram/marks.ts";

interface GraphViewProps {
  readonly kind: string;
  readonly marks: DiagramMarks;
}

const drawings = new Map<string, Promise<string | undefined>>();

export function GraphView({ kind, marks }: GraphViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<SVGElement | "none">();
  useEffect(() => {
    let current = true;
    const show = async (): Promise<void> => {
      const text = await loadDrawing(kind);
      if (current) setDrawing((text === undefined ? undefined : parseDrawing(text)) ?? "none");
    };
    void show();
    return () => {
      current = false;
    };
  }, [kind]);
  useEffect(() => {
    if (drawing instanceof SVGElement) frame.current?.replaceChildren(drawing);
  }, [drawing]);
  useEffect(() => {
    if (drawing instanceof SVGElement) light(drawing, marks);
  }, [drawing, marks]);
  useEffect(() => {
    if (drawing instanceof SVGElement && frame.current !== null) showLit(frame.current);
  }, [drawing, marks.active.join()]);
  if (drawing === "none") return html`<p>This kind has no lifecycle.</p>`;
  return html`<div class="graph" ref=${frame} tabindex="0" role="group" aria-label="Lifecycle">
    ${drawing === undefined ? html`<p>Drawing …</p>` : null}
  </div>`;
}

function loadDrawing(kind: string): Promise<string | undefined> {
  const known = drawings.get(kind);
  if (known !== undefined) return known;
  const loading = fetch(`api/graph?kind=${encodeURIComponent(kind)}`)
    .then((answer) => (answer.ok ? answer.text() : undefined))
    .catch(() => undefined);
  drawings.set(kind, loading);
  return loading;
}
