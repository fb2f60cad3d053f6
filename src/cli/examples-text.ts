// The examples at the end of every help text.

/** The text for `addHelpText("after", …)`: each example is one command line, without the prompt. */
export function examplesText(...examples: readonly string[]): string {
  return ["", "Examples:", ...examples.map((example) => `  $ xstate-operator ${example}`)].join("\n");
}
