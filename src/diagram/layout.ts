// A drawing whose every part has its place, as plain data: made by layout-of.ts, drawn by svg.ts, sent to pages as JSON.
// Lengths are pixels from the upper left corner.

/** A point. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** What a box of the drawing stands for. */
export type Shape =
  | "state"
  /** A state with states inside. */
  | "compound"
  /** A state that is active together with those beside it. */
  | "region"
  | "final"
  | "history"
  /** The dot from which the first state is entered. */
  | "initial"
  /** Where edges of the whole machine begin. */
  | "anyState";

/** One box. */
export interface DiagramNode extends Box {
  /** The path of a state; of other shapes a text that is no path. */
  readonly id: string;
  readonly shape: Shape;
  /** Path of the state; of the state around it where it is none itself. Empty for the machine. */
  readonly path: string;
  /** The name in lines. */
  readonly title: readonly string[];
  /** What happens in the state, in lines. */
  readonly lines: readonly string[];
  /** Boxes around this one. */
  readonly depth: number;
  /** The state in words, for those who hover or listen. */
  readonly about: string;
}

/** One line of a label, and the edge that it tells of. */
export interface LabelLine {
  readonly text: string;
  /** Position in the graph's edges. */
  readonly edge: number;
}

/** One arrow: all edges from one state to another. */
export interface DiagramEdge {
  /** Ids of boxes. */
  readonly source: string;
  readonly target: string;
  /** Positions in the graph's edges; none for the arrow from a dot. */
  readonly edges: readonly number[];
  /** From the border of the source to that of the target; every piece is upright or level. */
  readonly points: readonly Point[];
  readonly label?: Box & { readonly lines: readonly LabelLine[] };
  readonly about: string;
}

/** A drawing with everything in its place. */
export interface DiagramLayout {
  /** Id of the machine. */
  readonly name: string;
  readonly about: string;
  readonly width: number;
  readonly height: number;
  /** Each after the one around it. */
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
}
