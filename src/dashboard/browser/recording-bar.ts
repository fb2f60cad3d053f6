// Says that a recording is shown, and goes to any moment of it.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { formatLength } from "../../explain/length.ts";
import type { RecordingSpan } from "../recording-span.ts";
import { Slider } from "./slider.ts";

interface RecordingBarProps {
  readonly recording: RecordingSpan;
  readonly at: number;
  readonly onMoment: (at: number) => void;
}

/** Steps of the bar from one end to the other. */
const steps = 1_000;
/** Milliseconds for which the bar has to rest before a moment is read. */
const restFor = 150;

export function RecordingBar({ recording, at, onMoment }: RecordingBarProps) {
  const { name, from, to } = recording;
  const [moment, setMoment] = useState(at);
  useEffect(() => {
    if (moment === at) return undefined;
    const timer = setTimeout(() => onMoment(moment), restFor);
    return () => clearTimeout(timer);
  }, [moment, at]);
  const span = Math.max(1, to - from);
  const step = Math.round(((moment - from) / span) * steps);
  const go = (value: number): void =>
    setMoment(value >= steps ? to : Math.round(from + (span * value) / steps));
  const reported = new Date(moment).toLocaleString();
  return html`<section class="recording" aria-label="Recording">
    <p>
      <strong>Recording ${name}</strong>
      ${`, ${new Date(from).toLocaleString()} to ${new Date(to).toLocaleString()} (${formatLength(to - from)}). `}
      <span class="quiet">This is a recording: it is not live, and no events can be sent.</span>
    </p>
    <${Slider} label="Moment" steps=${steps} step=${step} text=${reported} onStep=${go}>
      <time datetime=${new Date(moment).toISOString()}>${reported}</time>
    <//>
  </section>`;
}

/** What the page says of the recording; undefined when it is live. */
export function readRecording({ recording, from, to }: DOMStringMap): RecordingSpan | undefined {
  return recording === undefined ? undefined : { name: recording, from: Number(from), to: Number(to) };
}
