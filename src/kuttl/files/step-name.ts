// The name of a file or folder in a test case: which step it belongs to, and what it is for. Pure.

/** What a name says. */
export interface StepName {
  /** Which step; undefined inside the folder of a step. */
  readonly index: number | undefined;
  readonly use: "apply" | "assert" | "errors";
  /** What the step is called, by a file that is applied. */
  readonly step: string;
  /** Whether the text is a template. */
  readonly isTemplate: boolean;
}

/**
 * What the name of a file or folder says; undefined for one that is none of a test's. `01-assert.yaml`, `01-assert-pods.yaml`,
 * `01-errors.yaml`, `01-create-cluster.yaml`, `01-install.gotmpl.yaml`.
 */
export function parseStepName(name: string): StepName | undefined {
  const [, index, word, rest = "", template, extension] =
    /^(?:(\d+)-)?([^-.]+)(-[^.]+)?(\.gotmpl)?(\.ya?ml)?$/.exec(name) ?? [];
  if (word === undefined || (template !== undefined && extension === undefined)) return undefined;
  const lower = word.toLowerCase();
  return {
    index: index === undefined ? undefined : Number(index),
    use: lower === "assert" || lower === "errors" ? lower : "apply",
    step: word + rest,
    isTemplate: template !== undefined,
  };
}
