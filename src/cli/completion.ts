// Completion scripts for shells, made of the commands themselves: which words may follow which.
import type { Command } from "commander";

/** The shells that scripts are made for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/** What may follow a command: its subcommands and its options. */
interface Place {
  /** The words of the command, such as `generate crd`; empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly takesValue: boolean;
  }[];
}

/** The script for a shell, which completes commands and options, and files where a command takes one. */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, "");
  const name = program.name();
  if (shell === "fish") return fishScript(name, places);
  const script = bashScript(name, places);
  return shell === "bash"
    ? script
    : `#compdef ${name}\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function placesOf(command: Command, path: string): readonly Place[] {
  const place: Place = {
    path,
    subcommands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: [
      ...command.options.flatMap(({ long, short, description, required, optional }) =>
        [long, short]
          .filter((flag) => typeof flag === "string")
          .map((flag) => ({ flag, description, takesValue: required || optional })),
      ),
      { flag: "--help", description: "display help", takesValue: false },
    ],
  };
  const below = command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`.trim()));
  return [place, ...below];
}

function bashScript(name: string, places: readonly Place[]): string {
  const fn = `_${name.replaceAll("-", "_")}`;
  const cases = places.map(({ path, subcommands, options }) => {
    const words = [...subcommands.map((each) => each.name), ...options.map(({ flag }) => flag)];
    return `    "${path}") words="${words.join(" ")}" ;;\n`;
  });
  const known = places.map(({ path }) => `"${path}"`).filter((path) => path !== '""');
  return `${fn}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" words="" each next
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$each"
    case "$next" in ${known.join("|")}) path="$next" ;; esac
  done
  case "$path" in
${cases.join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o bashdefault -F ${fn} ${name}
`;
}

function fishScript(name: string, places: readonly Place[]): string {
  const quote = (text: string): string =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
  const lines = places.flatMap(({ path, subcommands, options }) => {
    const words = path.split(" ").filter((word) => word !== "");
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = subcommands.map((each) => each.name);
    const open = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(" ")}`];
    const here = [...seen, ...open].join("; and ");
    const condition = here === "" ? "" : ` -n ${quote(here)}`;
    return [
      ...subcommands.map(
        (each) => `complete -c ${name}${condition} -f -a ${each.name} -d ${quote(each.description)}`,
      ),
      ...options.map(({ flag, description, takesValue }) => {
        const shape = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
        return `complete -c ${name}${condition} ${shape}${takesValue ? " -r" : ""} -d ${quote(description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}
