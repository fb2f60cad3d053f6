// `migrate`: stores all objects of a kind in the version in which its definition has them stored now.
import { Command } from "commander";
import { systemClock } from "../../ports/system-clock.ts";
import { connect, definitionOf, withClusterAddress, type ClusterObjectOptions } from "../cluster-object.ts";
import { countOption } from "../count-option.ts";
import { examplesText } from "../examples-text.ts";
import { failureOf } from "../exit-code.ts";
import { migrateKind, type MigrationReport } from "../migrate/migrate-kind.ts";
import { formatDocuments, textOrDataOption, type DataFormat } from "../output-format.ts";
import { createProgress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

interface MigrateFlags extends Pick<ClusterObjectOptions, "kubeconfig" | "context"> {
  readonly parallel: number;
  readonly rate: number;
  readonly dryRun?: boolean;
  readonly output?: DataFormat;
}

/** The command `migrate`. */
export function migrateCommand(terminal: Terminal): Command {
  const command = new Command("migrate")
    .description("Store all objects of a kind in the version in which its definition has them stored now.")
    .argument("<kind>", "the kind by any of its names, for example stores.data.example.com");
  return withClusterAddress(command)
    .option("--parallel <count>", "objects that are written at a time", countOption, 8)
    .option("--rate <count>", "objects that are written in a second, at most", countOption, 100)
    .option("--dry-run", "say what would be done, and write nothing")
    .addOption(textOrDataOption())
    .addHelpText(
      "after",
      `
Afterwards the old versions are taken from status.storedVersions, so that they can be removed from the kind.
An interrupted migration goes on where it ended when it is run again.
${examplesText("migrate store --dry-run", "migrate stores.data.example.com", "migrate store --rate 20 -o json")}`,
    )
    .action((kind: string, flags: MigrateFlags) => migrate(terminal, kind, flags));
}

async function migrate(terminal: Terminal, kind: string, flags: MigrateFlags): Promise<void> {
  const { client } = await connect(terminal, flags);
  const progress = createProgress(terminal);
  const signal = terminal.stopSignal();
  try {
    const { name } = (await definitionOf(client, kind)).metadata;
    const tools = { client, clock: systemClock, signal };
    let shown = 0;
    progress.begin(name);
    const report = await migrateKind(
      tools,
      name,
      { parallel: flags.parallel, rate: flags.rate, dryRun: flags.dryRun === true },
      (done, of) => {
        // Ten lines, where lines are not replaced.
        if (!terminal.interactive && Math.floor((done * 10) / of) === Math.floor((shown * 10) / of)) return;
        shown = done;
        progress.begin(`${name}: ${done} of ${of}`);
      },
    );
    progress.done(sentenceOf(report));
    if (flags.output !== undefined) terminal.out(formatDocuments([report], flags.output));
  } catch (error) {
    progress.abandon();
    throw failureOf(error, terminal, signal);
  } finally {
    await client.close();
  }
}

function sentenceOf(report: MigrationReport): string {
  const { definition, storage, objects, before, rewritten, trimmed, dryRun } = report;
  if (trimmed.length === 0) return `${definition}: all objects are stored as ${storage}`;
  const old = trimmed.join(" and ");
  return dryRun
    ? `${definition}: would store ${objects} objects as ${storage}, and trim ${old}`
    : `${definition}: ${objects} objects are stored as ${storage} (${rewritten} rewritten${before === 0 ? "" : `, ${before} by an earlier run`}); none is stored as ${old} any more`;
}
