// A bar by which one goes from one moment to another.
import { html } from "htm/preact";
import type { ComponentChildren } from "preact";

interface SliderProps {
  readonly label: string;
  /** Steps from one end to the other. */
  readonly steps: number;
  readonly step: number;
  /** What the present step is, in words. */
  readonly text: string;
  readonly onStep: (step: number) => void;
  /** What stands behind the bar. */
  readonly children?: ComponentChildren;
}

export function Slider({ label, steps, step, text, onStep, children }: SliderProps) {
  return html`<label class="slider">
    <span>${label}</span>
    <input
      type="range"
      min="0"
      max=${steps}
      step="1"
      value=${step}
      aria-valuetext=${text}
      onInput=${(event: Event) => onStep(Number((event.currentTarget as HTMLInputElement).value))}
    />
    ${children}
  </label>`;
}
