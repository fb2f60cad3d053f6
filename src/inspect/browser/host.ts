// Runs in the page that holds a viewer: connects to the operator, and passes on what it says once the viewer has said that
// it is there. Stately's own page is a viewer like ours.

const connected = "@statelyai.connected";
const disconnected = "@statelyai.disconnected";

const frame = document.querySelector<HTMLIFrameElement>("#viewer");
const notice = document.querySelector<HTMLElement>("#notice");
const address = new URL(frame?.dataset["address"] ?? "viewer", location.href);
/** What the viewer has not received yet: all since the connection. */
let waiting: unknown[] = [];
let viewerIsThere = false;
let pause = 500;

function tellViewer(message: unknown): void {
  if (viewerIsThere) frame?.contentWindow?.postMessage(message, address.origin);
  else waiting.push(message);
}

function show(text: string): void {
  if (notice === null) return;
  notice.textContent = text;
  notice.hidden = text === "";
}

function connect(): void {
  const target = new URL(`inspect${location.search}`, location.href);
  target.protocol = "ws:";
  const socket = new WebSocket(target);
  socket.addEventListener("open", () => {
    pause = 500;
    waiting = [];
    show("");
  });
  socket.addEventListener("message", ({ data }) => tellViewer(JSON.parse(String(data))));
  socket.addEventListener("close", () => {
    if (viewerIsThere) tellViewer({ type: disconnected });
    show("The operator is not responding: it has stopped or was restarted. Retrying …");
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 10_000);
  });
}

window.addEventListener("message", (event) => {
  const { type } = (event.data ?? {}) as { type?: unknown };
  if (event.source !== frame?.contentWindow || type !== connected) return;
  viewerIsThere = true;
  for (const message of waiting.splice(0)) tellViewer(message);
});

if (frame !== null) frame.src = address.href;
connect();
