// What an operator that was built into one file carries with it, as there is no folder beside it from which it could be read.
// `xstate-operator build` puts another module in the place of this one.

/** The parts that others find as files. */
export interface PackedParts {
  /** Version of this package. */
  readonly version: string;
  /** Suffix of the modules for browsers. */
  readonly suffix: "ts" | "js";
  /** What pages load, ready for a browser: by its path below `src`, and packages by their name. */
  readonly pages: Readonly<Record<string, string>>;
  readonly packages: Readonly<Record<string, string>>;
  /** The file itself, which a thread begins with. */
  readonly file: string;
}

/** The parts; undefined when this is not a built operator. */
export function packedParts(): PackedParts | undefined {
  return undefined;
}
