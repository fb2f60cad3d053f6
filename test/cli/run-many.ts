// Runs many command lines in one process of plain Node, which loads modules as the real command does.
// In: a JSON list of argument lists on standard input. Out: a JSON list of outcomes.
import { text } from "node:stream/consumers";
import { resolve } from "node:path";
import { runCommandLine } from "../../src/cli/command-line.ts";

const lists = JSON.parse(await text(process.stdin)) as string[][];
const outcomes: { code: number; out: string; err: string }[] = [];
for (const args of lists) {
  let [out, err] = ["", ""];
  const code = await runCommandLine(args, {
    out: (more) => void (out += more),
    err: (more) => void (err += more),
    interactive: false,
    color: false,
    outColor: false,
    env: { KUBECONFIG: "no-kubeconfig" },
    path: (typed) => resolve(process.cwd(), typed),
    stopSignal: () => new AbortController().signal,
  });
  outcomes.push({ code, out, err });
}
process.stdout.write(JSON.stringify(outcomes));
