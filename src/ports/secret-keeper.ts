// What a process knows of Secrets, whoever has read or written them: reported by what reads and writes, asked by whatever makes a
// text for people. Implemented by src/manager/known-secrets.ts.

/** Knows the values of Secrets. */
export interface SecretKeeper {
  /** Notes a Secret, a list of them, or what one is written with; its values are reported nowhere from now on. */
  note(secret: unknown): void;
  /** Whether it knows nothing yet: then there is nothing to look for. */
  readonly isEmpty: boolean;
  /** Whether none of them is in the text, however it is encoded and whoever asks; remembered of short texts, which come again and again. */
  isFree(text: string): boolean;
  /** The text without them, however they are encoded; `isPublic` tells words that are no secret whatever a Secret says. */
  mask(text: string, isPublic?: (found: string) => boolean): string;
  /** Where they are in a text that is decoded, from one character to before another, for callers that mask more than them. */
  find(
    text: string,
    isPublic?: (found: string) => boolean,
  ): Iterable<{ readonly start: number; readonly end: number }>;
}

/** Knows nothing. */
export const noSecrets: SecretKeeper = {
  note: () => undefined,
  isEmpty: true,
  isFree: () => true,
  mask: (text) => text,
  find: () => [],
};
