// What the help says of options that are a length of time or a size: how they are written, and their default with its unit.
import type { Command } from "commander";
import { formatLength } from "../explain/length.ts";

const written: readonly (readonly [placeholder: string, examples: string])[] = [
  ["<duration>", "such as 90s, 10m or 1h"],
  ["<size>", "such as 100Mi or 1Gi"],
];

/** Completes the descriptions of a command's options. */
export function describeUnits(command: Command): void {
  for (const option of command.options) {
    const [, examples] = written.find(([placeholder]) => option.flags.includes(placeholder)) ?? [];
    if (examples === undefined) continue;
    // Before what it says of its default.
    option.description = option.description.replace(/(?= \(default: )|$/, `, ${examples}`);
    if (typeof option.defaultValue === "number")
      option.defaultValueDescription ??= formatLength(option.defaultValue);
  }
}
