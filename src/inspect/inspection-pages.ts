// The two pages of the inspector: one that connects to the operator and holds a viewer in a frame, and our own viewer.
// The viewer in the frame is ours or Stately's; the first page treats both alike. Pure.
import { drawingStyles } from "../web/drawings.ts";
import { importMap } from "../web/import-map.ts";
import { pageAnswer, type WebAnswer } from "../web/web-answer.ts";

/** Whose viewer is shown. */
export type ViewerChoice = "local" | "stately";

const stately = "https://stately.ai";

/** The page that connects, with the viewer in a frame. */
export function hostPage(viewer: ViewerChoice, script: string): WebAnswer {
  const address = viewer === "local" ? "viewer" : `${stately}/inspect`;
  const html = page(
    "Inspector",
    script,
    `<p id="notice" role="status" hidden></p>
<iframe id="viewer" title="Inspector" data-address="${address}"></iframe>`,
    "host",
  );
  return pageAnswer(html, { frames: viewer === "stately" ? [stately] : [] });
}

/** Our own viewer. */
export function viewerPage(script: string): WebAnswer {
  return pageAnswer(page("Inspector", script, `<div id="viewer-root"></div>`, "viewer"));
}

function page(title: string, script: string, body: string, name: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${drawingStyles}
<link rel="stylesheet" href="files/inspector.css">
<script type="importmap">${importMap}</script>
<script type="module" src="${script}"></script>
</head>
<body class="page-${name}">
${body}
</body>
</html>
`;
}
