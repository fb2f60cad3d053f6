// `explain`: says of one object where it is, why, what it waits for and what blocks it, from the cluster alone.
import { Command } from "commander";
import { explain } from "../../explain/explain.ts";
import {
  openClusterObject,
  withClusterObject,
  type ClusterObjectOptions,
  type TypedObject,
} from "../cluster-object.ts";
import { examplesText } from "../examples-text.ts";
import { formatExplanation } from "../explain/format-explanation.ts";
import { readSurroundings } from "../explain/read-surroundings.ts";
import { jsonOption } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";

interface ExplainOptions extends ClusterObjectOptions {
  readonly output?: "json";
}

/** The command `explain`. */
export function explainCommand(terminal: Terminal): Command {
  return withClusterObject(new Command("explain"))
    .description("Say where an object is in its life, why, what it waits for and what blocks it.")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesText("explain database/orders -n shop", "explain database/orders -o json | jq .blockers"),
    )
    .action(async (typed: TypedObject, options: ExplainOptions) => {
      const target = await openClusterObject(terminal, typed, options);
      try {
        const signal = terminal.stopSignal();
        const object = await target.read(signal);
        const surroundings = await readSurroundings(target.client, object, signal);
        const { type, graph } = target;
        const now = Date.now();
        const explanation = explain({
          object,
          type,
          ...(graph === undefined ? {} : { graph }),
          ...surroundings,
          now,
        });
        terminal.out(
          options.output === "json"
            ? `${JSON.stringify(explanation, null, 2)}\n`
            : formatExplanation(explanation, { color: terminal.outColor, now }),
        );
      } finally {
        await target.client.close();
      }
    });
}
