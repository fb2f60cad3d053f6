// Runs many command lines in one process of plain Node, which loads modules as the real command does.
// In: a JSON list of argument lists on standard input. Out: a JSON list of outcomes.
import { text } from "node:stream/consumers";
import { runCommand, type CommandOutcome } from "./run-in-process.ts";

const lists = JSON.parse(await text(process.stdin)) as string[][];
const outcomes: CommandOutcome[] = [];
for (const args of lists) outcomes.push(await runCommand(args, { KUBECONFIG: "no-kubeconfig" }));
process.stdout.write(JSON.stringify(outcomes));
