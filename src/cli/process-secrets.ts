// What a process that runs an operator keeps to itself, wherever people may look at it.
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";
import { wordsOf } from "../recording/to-run-line.ts";

/** The Secrets of a process. */
export interface ProcessSecrets {
  readonly keeper: SecretKeeper;
  /**
   * Makes what takes secrets out of a value. Words of the operator's graphs, the names of its kinds, and what `isPublic` tells
   * are no secrets.
   */
  sanitizer(isPublic?: (found: string) => boolean): (value: unknown) => unknown;
}

/** The Secrets of a process that runs this operator; reported by the operator's client. */
export async function knowSecrets({ controllers }: OperatorDefinition): Promise<ProcessSecrets> {
  const { KnownSecrets } = await import("../manager/known-secrets.ts");
  const { redact } = await import("../manager/redaction.ts");
  const keeper = new KnownSecrets();
  const words = new Set<string>();
  for (const { kind } of controllers) {
    words.add(kind.kind);
    if (kind.lifecycle !== undefined) for (const word of wordsOf(kind.lifecycle.chart.graph)) words.add(word);
  }
  return {
    keeper,
    sanitizer: (isPublic = () => false) => {
      const isKnown = (found: string): boolean => words.has(found) || isPublic(found);
      return (value) => redact(value, (text) => keeper.mask(text, isKnown));
    },
  };
}
