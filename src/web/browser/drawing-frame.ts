// The frame around a drawing in a page: asks the server for it once, and lights it again for each moment.
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { light, parseDrawing, showLit } from "../../diagram/browser/lit-drawing.ts";
import type { DiagramMarks } from "../../diagram/marks.ts";

/** Where the server has a drawing: at an address, which may take the graph that is to be drawn. */
export interface DrawingSource {
  readonly address: string;
  readonly graph?: string;
}

interface DrawingFrameProps {
  /** Undefined: there is none. */
  readonly source: DrawingSource | undefined;
  readonly marks: DiagramMarks;
  /** Names it for those who do not see it. */
  readonly label: string;
  /** What is shown where nothing can be drawn. */
  readonly instead: () => VNode;
}

export function DrawingFrame({ source, marks, label, instead }: DrawingFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<SVGElement | "none">();
  const { address, graph } = source ?? {};
  useEffect(() => {
    let current = true;
    const show = async (): Promise<void> => {
      const text = source === undefined ? undefined : await load(source);
      // Each frame has its own copy: the same drawing may be lit in several ways.
      if (current) setDrawing((text === undefined ? undefined : parseDrawing(text)) ?? "none");
    };
    void show();
    return () => {
      current = false;
    };
  }, [address, graph]);
  useEffect(() => {
    if (drawing instanceof SVGElement) frame.current?.replaceChildren(drawing);
  }, [drawing]);
  useEffect(() => {
    if (drawing instanceof SVGElement) light(drawing, marks);
  }, [drawing, marks]);
  useEffect(() => {
    if (drawing instanceof SVGElement && frame.current !== null) showLit(frame.current);
  }, [drawing, marks.active.join()]);
  if (drawing === "none") return instead();
  return html`<div class="drawing" ref=${frame} tabindex="0" role="group" aria-label=${label}>
    ${drawing === undefined ? html`<p>Drawing …</p>` : null}
  </div>`;
}

const texts = new Map<string, Promise<string | undefined>>();

/** What the server has; undefined when there is nothing to draw, or it cannot, or is away. */
function load({ address, graph }: DrawingSource): Promise<string | undefined> {
  const key = `${address} ${graph ?? ""}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const loading = fetch(address, graph === undefined ? {} : { method: "POST", body: graph })
    .then((answer) => (answer.ok ? answer.text() : ""))
    .then((text) => (text.trim() === "" ? undefined : text))
    .catch(() => {
      // It may be back.
      texts.delete(key);
      return undefined;
    });
  texts.set(key, loading);
  return loading;
}
