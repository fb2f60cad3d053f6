// The life of a database as a small drawing with the current state lit. Pure: a state in, lines out.

/** How parts of the drawing look; without colour each returns its text as it is. */
export interface Paint {
  /** Where it is. */
  readonly lit: (text: string) => string;
  /** Where it was. */
  readonly visited: (text: string) => string;
  readonly faint: (text: string) => string;
}

/** The drawing; what stands in braces is a state. A test holds it to the machine. */
export const layout: readonly string[] = [
  "         {Reconfiguring}",
  "                ▲",
  "                ▼",
  "{Start} ──▶ {Running} ◀──▶ {Servicing}",
  "                │",
  "                ▼",
  "           {Stopping} ──▶ {End}         {HumanIntervention}",
];

/** Characters of its longest line, as it is drawn. */
export const drawingWidth = Math.max(...layout.map((line) => line.length));

/** The drawing with the current state in brackets and lit, and the states it has been in distinguished from the others. */
export function drawLifecycle(current: string, visited: readonly string[], paint: Paint): string[] {
  return layout.map((line) => {
    const parts = line.split(/(\{\w+\})/).filter((part) => part !== "");
    const painted = parts.map((part, index) => {
      const state = /^\{(\w+)\}$/.exec(part)?.[1];
      if (state === undefined) return paint.faint(part);
      if (state === current) return paint.lit(`[${state}]`);
      const text = index === parts.length - 1 ? ` ${state}` : ` ${state} `;
      return visited.includes(state) ? paint.visited(text) : paint.faint(text);
    });
    return painted.join("");
  });
}
