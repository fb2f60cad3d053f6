// The document of a page of ours: what all of them have, around what each adds. Pure.
import { importMap } from "./import-map.ts";

/** What a page adds. */
export interface PageParts {
  readonly title: string;
  /** Address of its style. */
  readonly style: string;
  /** Address of its module. */
  readonly script: string;
  /** As HTML. */
  readonly body: string;
  /** Class of the body's element. */
  readonly className?: string;
}

/** The document, as HTML; its scripts and styles are for `BrowserFiles` to answer. */
export function pageOf({ title, style, script, body, className }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="diagram.css">
<link rel="stylesheet" href="web/browser/page.css">
<link rel="stylesheet" href="web/browser/drawing-frame.css">
<link rel="stylesheet" href="${style}">
<script type="importmap">${importMap}</script>
<script type="module" src="${script}"></script>
</head>
<body${className === undefined ? "" : ` class="${className}"`}>
${body}
</body>
</html>
`;
}

/** A text as HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
