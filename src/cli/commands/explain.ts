// `explain`: says of one object where it is, why, what it waits for and what blocks it, from the cluster; and, when its
// operator can be asked, why that has looked at it last.
import { Command, InvalidArgumentError } from "commander";
import { explain } from "../../explain/explain.ts";
import {
  onClusterObject,
  typedObject,
  withClusterObject,
  type ClusterObject,
  type ClusterObjectOptions,
} from "../cluster-object.ts";
import { examplesText } from "../examples-text.ts";
import { askOperator } from "../explain/ask-operator.ts";
import { formatExplanation } from "../explain/format-explanation.ts";
import { readFormerOperator } from "../explain/read-former-operator.ts";
import { readReplica } from "../explain/read-replica.ts";
import { readSurroundings } from "../explain/read-surroundings.ts";
import { formatDocuments, textOrDataOption, type DataFormat } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";

interface ExplainOptions extends ClusterObjectOptions {
  readonly operator?: string;
  readonly output?: DataFormat;
}

/** The command `explain`. */
export function explainCommand(terminal: Terminal): Command {
  return withClusterObject(new Command("explain"))
    .description("Explain which state an object is in and why, what it waits for, and what blocks it.")
    .option(
      "--operator <url>",
      "also ask the running operator, at its health address, why it last reconciled the object",
      urlOption,
    )
    .addOption(textOrDataOption())
    .addHelpText(
      "after",
      examplesText(
        "explain database/orders -n shop",
        "explain database/orders --operator http://127.0.0.1:8081",
        "explain database/orders -o json | jq .blockers",
      ),
    )
    .action((kind: string, name: string | undefined, options: ExplainOptions, command: Command) =>
      onClusterObject(terminal, typedObject(command, kind, name), options, (target) =>
        explainObject(terminal, target, options),
      ),
    );
}

async function explainObject(
  terminal: Terminal,
  target: ClusterObject,
  options: ExplainOptions,
): Promise<void> {
  const signal = terminal.stopSignal();
  const object = await target.read(signal);
  const { type, graph } = target;
  const { name, namespace } = object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const [surroundings, sharing, operator, asked] = await Promise.all([
    readSurroundings(target.client, object, signal),
    readReplica(target.client, type, object.metadata, Date.now(), signal),
    readFormerOperator(target, object, signal),
    options.operator === undefined
      ? undefined
      : askOperator(options.operator, { kind: type.kind, key }, signal),
  ]);
  const now = Date.now();
  const explanation = explain({
    object,
    type,
    ...(graph === undefined ? {} : { graph }),
    ...surroundings,
    ...(asked?.runs === undefined ? {} : { runs: asked.runs }),
    ...(sharing.replica === undefined ? {} : { replica: sharing.replica }),
    ...(operator.former === undefined ? {} : { formerOperator: operator.former }),
    unknown: [...surroundings.unknown, ...sharing.unknown, ...operator.unknown, ...(asked?.unknown ?? [])],
    asked: asked !== undefined,
    now,
  });
  terminal.out(
    options.output !== undefined
      ? formatDocuments([explanation], options.output)
      : formatExplanation(explanation, { color: terminal.outColor, now }),
  );
}

function urlOption(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new InvalidArgumentError("Write a URL, for example http://127.0.0.1:8081.");
}
