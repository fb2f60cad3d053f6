// Randomness as an injected port: jitter and generated names are reproducible in tests.

/** A number in [0, 1). */
export type Random = () => number;

/** The process's own generator. */
export const systemRandom: Random = () => Math.random();
