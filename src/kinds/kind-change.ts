// A change of a custom resource as it is judged before it is stored.

/** A requested change. */
export interface KindChange<TCR> {
  /** Absent for a new object. */
  readonly before: TCR | undefined;
  /** The object as it would be stored. */
  readonly after: TCR;
  /** The state of the application, as stored; absent before the first cycle. */
  readonly state: string | undefined;
}
