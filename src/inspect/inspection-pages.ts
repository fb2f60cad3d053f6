// The two pages of the inspector: one that connects to the operator and holds a viewer in a frame, and our own viewer.
// The viewer in the frame is ours or Stately's; the first page treats both alike. Pure.
import { pageOf } from "../web/page.ts";
import { pageAnswer, type WebAnswer } from "../web/web-answer.ts";

/** Whose viewer is shown. */
export type ViewerChoice = "local" | "stately";

const stately = "https://stately.ai";

/** The page that connects, with the viewer in a frame. */
export function hostPage(viewer: ViewerChoice, script: string): WebAnswer {
  const address = viewer === "local" ? "viewer" : `${stately}/inspect`;
  const html = page(
    script,
    `<p id="notice" role="status" hidden></p>
<iframe id="viewer" title="Inspector" data-address="${address}"></iframe>`,
    "host",
  );
  return pageAnswer(html, { frames: viewer === "stately" ? [stately] : [] });
}

/** Our own viewer. */
export function viewerPage(script: string): WebAnswer {
  return pageAnswer(page(script, `<div id="viewer-root"></div>`, "viewer"));
}

function page(script: string, body: string, name: string): string {
  return pageOf({
    title: "Inspector",
    style: "files/inspector.css",
    script,
    body,
    className: `page-${name}`,
  });
}
