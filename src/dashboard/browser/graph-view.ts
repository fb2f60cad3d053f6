// The lifecycle's drawing: loaded once for each kind, lit anew for each moment.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
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
      if (current) setDrawing(text === undefined ? "none" : parse(text));
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

function parse(text: string): SVGElement {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(svg, true) as unknown as SVGElement;
}

/** Whether a path is one of these states, or around one of them. */
function isAround(path: string, leaves: readonly string[]): boolean {
  return leaves.some((leaf) => leaf === path || leaf.startsWith(`${path}:`));
}

function light(svg: SVGElement, { active, planned, wished, edges }: DiagramMarks): void {
  for (const box of svg.querySelectorAll<SVGElement>("g[data-path]")) {
    const path = box.dataset["path"] ?? "";
    box.classList.toggle("active", isAround(path, active));
    box.classList.toggle("leaf", active.includes(path));
    box.classList.toggle("planned", planned.includes(path));
    box.classList.toggle("wished", path === wished);
    if (active.includes(path)) box.setAttribute("aria-current", "true");
    else box.removeAttribute("aria-current");
  }
  for (const arrow of svg.querySelectorAll<SVGElement>("g[data-edges]")) {
    const own = (arrow.dataset["edges"] ?? "").split(" ").map(Number);
    arrow.classList.toggle(
      "planned",
      own.some((edge) => edges.includes(edge)),
    );
  }
  for (const line of svg.querySelectorAll<SVGElement>("text[data-edge]")) {
    line.classList.toggle("told", edges.includes(Number(line.dataset["edge"])));
  }
}
