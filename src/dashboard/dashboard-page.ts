// The one page of the dashboard. Pure.
import { drawingStyles } from "../web/drawings.ts";
import { importMap } from "../web/import-map.ts";
import { pageAnswer, type WebAnswer } from "../web/web-answer.ts";
import type { RecordingSpan } from "./recording-span.ts";

/** The page; its script does the rest. With a recording it says which. */
export function dashboardPage(title: string, script: string, recording?: RecordingSpan): WebAnswer {
  const name = escape(recording === undefined ? title : `${title}: recording ${recording.name}`);
  const span =
    recording === undefined
      ? ""
      : ` data-recording="${escape(recording.name)}" data-from="${recording.from}" data-to="${recording.to}"`;
  return pageAnswer(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="icon" href="data:,">
${drawingStyles}
<link rel="stylesheet" href="files/dashboard.css">
<script type="importmap">${importMap}</script>
<script type="module" src="${script}"></script>
</head>
<body>
<div id="dashboard" data-title="${escape(title)}"${span}></div>
<noscript>This page needs JavaScript; it loads nothing from elsewhere.</noscript>
</body>
</html>
`);
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
