// What a section of commands of kubectl is: a namespace of its own, and commands in their order.

/** One command, or a few of a shell's. */
export interface KubectlCase {
  readonly name: string;
  readonly run: string;
  /** Holds on each server, beside both saying the same. */
  readonly says?: RegExp;
  /** What both say may come in another order. */
  readonly unordered?: boolean;
}

/** Commands that build on each other, in a namespace of their own. */
export interface KubectlSection {
  readonly name: string;
  /** Run in every `npm test`; the others with KUBECTL_COMMANDS=all. */
  readonly always?: true;
  /** Files that the commands find in their folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly cases: readonly KubectlCase[];
}

/** A case that both servers answer alike. */
export function same(name: string, run: string, says?: RegExp): KubectlCase {
  return { name, run, ...(says === undefined ? {} : { says }) };
}

/** A case whose lines come in any order. */
export function unordered(name: string, run: string, says?: RegExp): KubectlCase {
  return { ...same(name, run, says), unordered: true };
}
