// The commands that kubectl's own help lists, so that none is left out of the cases.
import { spawnSync } from "node:child_process";

/** What asks no API server. */
const local = new Set(["completion", "config", "help", "kuberc", "options", "plugin"]);

/** A command. */
export interface ListedCommand {
  /** Such as `create service clusterip`. */
  readonly name: string;
  /** How it may be called: by other names, too. */
  readonly called: RegExp;
}

/** The commands of a kubectl that ask an API server. */
export function listedCommands(kubectl: string): readonly ListedCommand[] {
  const below = (path: readonly string[], called: string): ListedCommand[] => {
    const { stdout } = spawnSync(kubectl, [...path, "--help"], { encoding: "utf8" });
    const [, names = path.at(-1) ?? ""] = /^Aliases:\n(.*)$/m.exec(stdout) ?? [];
    const pattern = path.length === 0 ? called : `${called} (?:${names.split(", ").join("|")})`;
    const parts = [...stdout.matchAll(/^.*Commands[^\n]*:\n((?: {2}\S.*\n)+)/gm)]
      .flatMap(([, list = ""]) => [...list.matchAll(/^ {2}(\S+)/gm)])
      .map(([, name = ""]) => name)
      .filter((name) => path.length > 0 || !local.has(name));
    // Only groups of commands list some that are not options of their own.
    if (parts.length > 0) return parts.flatMap((name) => below([...path, name], pattern));
    return [{ name: path.join(" "), called: new RegExp(`${pattern}\\b`) }];
  };
  return below([], "kubectl");
}
