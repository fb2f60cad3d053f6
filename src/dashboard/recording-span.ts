// Which recording a page shows, and which moment of it. Pure; known to the page as well.

/** What the page receives about the recording itself. Instants are milliseconds since the epoch. */
export interface RecordingSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The moment that a page asks for, within the recording; its end when it asks for none. */
export function momentOf({ from, to }: RecordingSpan, asked: string | null): number {
  const instant = asked === null || asked === "" ? Number.NaN : Number(asked);
  return Number.isNaN(instant) ? to : Math.min(Math.max(instant, from), to);
}
