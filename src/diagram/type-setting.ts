// The sizes of a drawing's texts and boxes: what is measured before the layout is what is drawn after it.
import type { Face } from "./text-width.ts";

/** Names of states. */
export const titleFace: Face = { size: 14, bold: true };
/** What stands below a name. */
export const lineFace: Face = { size: 12 };
/** What stands at arrows: bold once it is marked, so room is left for that. */
export const labelFace: Face = { size: 12, bold: true };

/** Baseline to baseline, in pixels. */
export const titleHeight = 18;
export const lineHeight = 16;

/** From the border of a box to its text. */
export const inset = { x: 14, y: 9 } as const;
/** Between a name and the lines below it. */
export const gap = 7;
/** From the border of a label to its text. */
export const labelInset = { x: 5, y: 2 } as const;

/** Between the lines of two edges in one label. */
export const labelGap = 5;

/** Texts are broken before they are wider. */
export const titleWidth = 200;
export const lineWidth = 230;
export const labelWidth = 180;
/** Lines before a text is cut off. */
export const mostLines = 4;
