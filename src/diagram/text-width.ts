// How wide a text is, known without a browser: by the widths of DejaVu Sans, the widest of the fonts that browsers take for
// sans-serif, so that what was measured here fits whichever of them is there. Pure; read by whatever places text.

/** How a text is set. */
export interface Face {
  /** Height of the font in pixels. */
  readonly size: number;
  readonly bold?: boolean;
}

/** Thousandths of the size, from the space to the tilde. */
const regular = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
  636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
  295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
  500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
  392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
] as const;
const bold = [
  348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696,
  696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372,
  372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838,
  500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595,
  478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
] as const;

/** The width of a text in one line, in pixels; never less than it takes in a usual font. */
export function textWidth(text: string, face: Face): number {
  let width = 0;
  for (const character of text) width += characterWidth(character, face.bold === true);
  return (width * face.size) / 1000;
}

function characterWidth(character: string, isBold: boolean): number {
  const code = character.codePointAt(0) ?? 0;
  const known = (isBold ? bold : regular)[code - 0x20];
  if (known !== undefined) return known;
  if (/\p{Mn}/u.test(character)) return 0;
  // Emoji are wider than they are high; ideographs are square.
  if (code >= 0x1f000) return 1400;
  return code >= 0x1100 ? 1050 : isBold ? 950 : 850;
}
