// An object that a custom resource owns, as it is shown to people.

/** One child. */
export interface Child {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** How it is, in a few words; absent where its kind has nothing to say, or only its metadata is known. */
  readonly state?: string;
  readonly finalizers: readonly string[];
  readonly deletingSince?: string;
  /** A foreground deletion of the owner waits for it. */
  readonly blocksOwner: boolean;
}
