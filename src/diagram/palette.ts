// The colours of a drawing, in light and in dark, and the style sheet that is made of them. Each colour is a CSS variable
// (`--diagram-paper`, …) that a page may set; a renderer that knows no variables gets the colour itself. Pure.

/** How a drawing is coloured: `auto` follows the reader's setting, the others are fixed. */
export type Theme = "auto" | "light" | "dark";

/** Light, dark. Texts have a contrast of 4.5 to 1 or more to what is behind them. */
const colors = {
  paper: ["#ffffff", "#14171c"],
  ink: ["#1b2430", "#e6e9ee"],
  faint: ["#4d5968", "#aab4c1"],
  box: ["#f4f6f9", "#20262e"],
  border: ["#8793a3", "#6b7888"],
  region: ["#ffffff", "#181c22"],
  arrow: ["#5d6b7c", "#93a0b0"],
  active: ["#0b62d6", "#78b0ff"],
  lit: ["#dcebff", "#12335f"],
  plan: ["#9a5b00", "#f0b429"],
  target: ["#0a7d4a", "#4ccf91"],
} as const;

/** Name of a colour. */
export type Color = keyof typeof colors;

/** What the classes of a drawing look like, besides their colours. */
const shapes = `
.diagram text{font-family:"DejaVu Sans",Verdana,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px}
.diagram .title{font-size:14px;font-weight:bold}
.diagram .outline{stroke-width:1.25}
.diagram .region>.outline,.diagram .anyState>.outline{stroke-dasharray:6 4}
.diagram .arrow .way{fill:none;stroke-width:1.4;stroke-linejoin:round}
.diagram .active>.outline{stroke-width:2.5}
.diagram .target>.outline{stroke-width:2.5}
.diagram .planned>.outline{stroke-width:2;stroke-dasharray:none}
.diagram .library .way{stroke-dasharray:5 4}
.diagram .planned .way{stroke-width:2.6}
.diagram .taken .way{stroke-width:2.6}
.diagram .label .step,.diagram .label .taken{font-weight:bold}
.diagram .badge text{font-size:11px;font-weight:bold}
`;

/** Selector, property, colour; a later rule wins. */
const rules: readonly (readonly [selector: string, property: "fill" | "stroke", color: Color])[] = [
  [".paper", "fill", "paper"],
  [".title,.caption", "fill", "ink"],
  [".line,.label text", "fill", "faint"],
  [".outline", "fill", "box"],
  [".outline", "stroke", "border"],
  [".compound>.outline,.region>.outline,.anyState>.outline", "fill", "region"],
  [".rule", "stroke", "border"],
  [".dot", "fill", "arrow"],
  [".way", "stroke", "arrow"],
  [".head", "fill", "arrow"],
  [".label .ground", "fill", "paper"],
  [".label.inside .ground", "fill", "region"],
  [".target>.outline", "stroke", "target"],
  [".planned>.outline", "stroke", "plan"],
  [".active>.outline", "stroke", "active"],
  [".active.leaf>.outline", "fill", "lit"],
  [".planned .way", "stroke", "plan"],
  [".taken .way", "stroke", "active"],
  [".taken .head", "fill", "active"],
  [".label .taken", "fill", "active"],
  [".planned .head", "fill", "plan"],
  [".label .step", "fill", "plan"],
  [".badge .ground", "fill", "plan"],
  [".badge.target .ground", "fill", "target"],
  [".badge text", "fill", "paper"],
];

/** The style sheet of a theme. */
export function styleSheet(theme: Theme): string {
  const sheets =
    theme === "auto"
      ? [colored(0, true), `@media (prefers-color-scheme:dark){\n${colored(1, true)}\n}`]
      : [colored(theme === "light" ? 0 : 1, false)];
  return `${[shapes.trim(), ...sheets].join("\n")}\n`;
}

function colored(side: 0 | 1, variable: boolean): string {
  return rules
    .map(([selector, property, color]) => {
      const value = colors[color][side];
      const open = variable ? `;${property}:var(--diagram-${color},${value})` : "";
      const selectors = selector.split(",").map((each) => `.diagram ${each}`);
      return `${selectors.join(",")}{${property}:${value}${open}}`;
    })
    .join("\n");
}
