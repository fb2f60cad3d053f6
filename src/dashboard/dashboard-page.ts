// The one page of the dashboard. Pure.
import { importMap } from "../web/import-map.ts";
import { pageAnswer, type WebAnswer } from "../web/web-answer.ts";

/** The page; its script does the rest. */
export function dashboardPage(title: string, script: string): WebAnswer {
  const name = title.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return pageAnswer(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="diagram.css">
<link rel="stylesheet" href="files/dashboard.css">
<script type="importmap">${importMap}</script>
<script type="module" src="${script}"></script>
</head>
<body>
<div id="dashboard" data-title="${name}"></div>
<noscript>This page needs JavaScript; it loads nothing from elsewhere.</noscript>
</body>
</html>
`);
}
