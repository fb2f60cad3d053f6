// What an author fills in: the same shape as what is declared, writable.

/** A type whose fields can be written, all the way down. */
export type Writable<T> = T extends readonly (infer TElement)[]
  ? Writable<TElement>[]
  : T extends object
    ? { -readonly [TField in keyof T]: Writable<T[TField]> }
    : T;
