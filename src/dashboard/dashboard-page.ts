// The one page of the dashboard. Pure.
import { escapeHtml, pageOf } from "../web/page.ts";
import { pageAnswer, type WebAnswer } from "../web/web-answer.ts";
import type { RecordingSpan } from "./recording-span.ts";

/** The page; its script does the rest. With a recording it says which. */
export function dashboardPage(title: string, script: string, recording?: RecordingSpan): WebAnswer {
  const span =
    recording === undefined
      ? ""
      : ` data-recording="${escapeHtml(recording.name)}" data-from="${recording.from}" data-to="${recording.to}"`;
  return pageAnswer(
    pageOf({
      title: recording === undefined ? title : `${title}: recording ${recording.name}`,
      style: "files/dashboard.css",
      script,
      body: `<div id="dashboard" data-title="${escapeHtml(title)}"${span}></div>
<noscript>This page needs JavaScript; it loads nothing from other hosts.</noscript>`,
    }),
  );
}
