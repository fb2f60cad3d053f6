// Our viewer: a page that takes Stately's inspection protocol from the window that opened it or holds it, as Stately's own
// does, and shows the actors, their machines and what happens to them.
import { html } from "htm/preact";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ActorList } from "./actor-list.ts";
import { hear, type ActorLog } from "./actor-log.ts";
import { ActorView } from "./actor-view.ts";

/** The window that speaks to us. */
const speaker: Window | null = window.parent === window ? (window.opener as Window | null) : window.parent;

function Viewer() {
  const [log, setLog] = useState<ActorLog>(new Map());
  const [chosen, choose] = useState<string>();
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    let pending: unknown[] = [];
    // A burst of messages is shown once.
    const show = (): void => {
      const messages = pending;
      pending = [];
      setLog((before) => messages.reduce<ActorLog>(hear, before));
    };
    const listen = ({ data, source }: MessageEvent): void => {
      if (source !== speaker) return;
      const { type } = (data ?? {}) as { type?: unknown };
      setConnected(type !== "@statelyai.disconnected");
      if (type === "@statelyai.disconnected") return;
      if (pending.length === 0) requestAnimationFrame(show);
      pending.push(data);
    };
    window.addEventListener("message", listen);
    speaker?.postMessage({ type: "@statelyai.connected" }, "*");
    return () => window.removeEventListener("message", listen);
  }, []);
  const actor = log.get(chosen ?? "") ?? log.values().next().value;
  if (speaker === null) {
    return html`<p class="empty">
      This page shows data that another page sends to it. Open it from that page.
    </p>`;
  }
  if (actor === undefined) return html`<p class="empty" role="status">Waiting for actors …</p>`;
  return html`<div class=${connected ? "viewer" : "viewer lost"}>
    <${ActorList} log=${log} chosen=${actor.id} onChoose=${choose} />
    <${ActorView} key=${actor.id} actor=${actor} />
  </div>`;
}

const root = document.querySelector("#viewer-root");
if (root !== null) render(html`<${Viewer} />`, root);
