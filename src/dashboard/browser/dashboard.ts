// The dashboard's page: the board, or one resource, as the address says.
import { html } from "htm/preact";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readAddress } from "./address.ts";
import { BoardView } from "./board-view.ts";
import { followBoard, type BoardState, type Connection } from "./feed.ts";
import { HealthView } from "./health-view.ts";
import { readRecording, RecordingBar } from "./recording-bar.ts";
import { ResourceView } from "./resource-view.ts";

const root = document.querySelector<HTMLElement>("#dashboard");
const title = root?.dataset["title"] ?? "";
const recording = root === null ? undefined : readRecording(root.dataset);

function Dashboard() {
  const [address, setAddress] = useState(() => readAddress(location.hash));
  const [board, setBoard] = useState<BoardState>({ kinds: [], rows: new Map(), complete: false });
  const [connection, setConnection] = useState<Connection>("connecting");
  /** The moment of the recording that is looked at. */
  const [at, setAt] = useState(recording?.to);
  const present = useNow();
  const now = at ?? present;
  useEffect(() => {
    const follow = (): void => setAddress(readAddress(location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => followBoard({ onConnection: setConnection, onChange: setBoard }, at), [at]);
  return html`<header>
      <a class="home" href="#/">${title}</a>
      <p
        class=${`connection ${recording === undefined || connection === "lost" ? connection : ""}`}
        role="status"
      >
        ${(recording === undefined ? words : wordsOfRecording)[connection]}
      </p>
    </header>
    ${
      recording === undefined || at === undefined
        ? null
        : html`<${RecordingBar} recording=${recording} at=${at} onMoment=${setAt} />`
    }
    ${
      board.health === undefined
        ? null
        : html`<${HealthView} health=${board.health} gone=${connection === "lost"} now=${now} />`
    }
    ${
      address === undefined
        ? html`<${BoardView} board=${board} now=${now} />`
        : html`<${ResourceView} key=${location.hash} address=${address} now=${now} at=${at} />`
    }`;
}

const words: Readonly<Record<Connection, string>> = {
  connecting: "connecting …",
  live: "live",
  lost: "The operator is not responding: the data may be out of date. Retrying …",
};

const wordsOfRecording: Readonly<Record<Connection, string>> = {
  connecting: "reading …",
  live: "recording",
  lost: "The replay is not responding. Retrying …",
};

/** The present, once a second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

if (root !== null) render(html`<${Dashboard} />`, root);
