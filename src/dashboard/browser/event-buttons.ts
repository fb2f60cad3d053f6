// The human events that a state accepts, as buttons where they may be sent.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { Address } from "./address.ts";

interface EventButtonsProps {
  readonly address: Address;
  readonly accepted: readonly string[];
  readonly mayAct: boolean;
  /** It is the past: nothing can be sent. */
  readonly recorded: boolean;
}

export function EventButtons({ address, accepted, mayAct, recorded }: EventButtonsProps) {
  const [answer, setAnswer] = useState("");
  const [busy, setBusy] = useState(false);
  if (accepted.length === 0) return null;
  const send = async (event: string): Promise<void> => {
    setBusy(true);
    setAnswer("");
    try {
      const response = await fetch("api/event", {
        method: "POST",
        body: JSON.stringify({ ...address, event }),
      });
      const { error } = (await response.json()) as { error?: string };
      setAnswer(error ?? `${event} was sent; the operator decides whether to accept it.`);
    } catch {
      setAnswer(`${event} could not be sent: the operator is not responding.`);
    } finally {
      setBusy(false);
    }
  };
  return html`<section class="events-to-send" aria-labelledby="accepts-title">
    <h2 id="accepts-title">Accepts</h2>
    ${
      mayAct
        ? html`<p class="buttons">
            ${accepted.map(
              (event) =>
                html`<button key=${event} type="button" disabled=${busy} onClick=${() => void send(event)}>
                  ${event}
                </button>`,
            )}
          </p>`
        : html`<p>
            ${accepted.join(", ")}${" "}
            ${
              recorded
                ? null
                : html`<span class="quiet">
                    — sent with <code>xstate-operator send</code>, or from here with --allow-events</span
                  >`
            }
          </p>`
    }
    <p role="status">${answer}</p>
  </section>`;
}
