// A drawing in a page: made of the text that a server sends, and lit again without a new drawing. Shared by the pages.
import type { DiagramMarks } from "../marks.ts";

/** The drawing; undefined when the text is none. */
export function parseDrawing(text: string): SVGElement | undefined {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return root.localName === "svg" ? (document.importNode(root, true) as unknown as SVGElement) : undefined;
}

/** Lights what is marked, and nothing else. */
export function light(svg: SVGElement, { active, planned, target, edges, taken = [] }: DiagramMarks): void {
  for (const box of svg.querySelectorAll<SVGElement>("g[data-path]")) {
    const path = box.dataset["path"] ?? "";
    box.classList.toggle("active", isAround(path, active));
    box.classList.toggle("leaf", active.includes(path));
    box.classList.toggle("planned", planned.includes(path));
    box.classList.toggle("target", path === target);
    if (active.includes(path)) box.setAttribute("aria-current", "true");
    else box.removeAttribute("aria-current");
  }
  for (const arrow of svg.querySelectorAll<SVGElement>("g[data-edges]")) {
    const own = (arrow.dataset["edges"] ?? "").split(" ").map(Number);
    arrow.classList.toggle(
      "planned",
      own.some((edge) => edges.includes(edge)),
    );
    arrow.classList.toggle(
      "taken",
      own.some((edge) => taken.includes(edge)),
    );
  }
  for (const line of svg.querySelectorAll<SVGElement>("text[data-edge]")) {
    const edge = Number(line.dataset["edge"]);
    line.classList.toggle("step", edges.includes(edge));
    line.classList.toggle("taken", taken.includes(edge));
  }
}

/** Scrolls what holds a drawing that is larger than itself, so that the lit state is in the middle of it. */
export function showLit(frame: HTMLElement): void {
  const lit = frame.querySelector("g.leaf")?.getBoundingClientRect();
  if (lit === undefined) return;
  const around = frame.getBoundingClientRect();
  const isSeen =
    lit.left >= around.left &&
    lit.right <= around.right &&
    lit.top >= around.top &&
    lit.bottom <= around.bottom;
  if (isSeen) return;
  frame.scrollBy({
    left: (lit.left + lit.right - around.left - around.right) / 2,
    top: (lit.top + lit.bottom - around.top - around.bottom) / 2,
  });
}

/** Whether a path is one of these states, or around one of them. */
function isAround(path: string, leaves: readonly string[]): boolean {
  return leaves.some((leaf) => leaf === path || leaf.startsWith(`${path}:`));
}
