// Ends a command in a container: when its connection is closed, a command goes on. So it is started with a mark in its
// environment, which its own children inherit, and a second command finds all that bear it. Needs `env` and `sh` with `tr`.

/** The variable that marks the processes of one command. */
const variable = "XSTATE_OPERATOR_EXEC";

/** SIGTERM to every process with the mark, SIGKILL to those that are left after so many tenths of a second. */
const script = `
marked() {
  for file in /proc/[0-9]*/environ; do
    process=\${file#/proc/}; process=\${process%/environ}
    [ "$process" = "$$" ] && continue
    case "
$(tr '\\0' '\\n' < "$file" 2>/dev/null)
" in *"
${variable}=$1
"*) echo "$process" ;; esac
  done
}
left=$(marked "$1")
[ -n "$left" ] || exit 0
kill -TERM $left 2>/dev/null
tenths=$2
while [ "$tenths" -gt 0 ]; do
  running=
  for process in $left; do kill -0 "$process" 2>/dev/null && running=1; done
  [ -n "$running" ] || break
  sleep 0.1 2>/dev/null || { sleep 1; tenths=$((tenths - 9)); }
  tenths=$((tenths - 1))
done
left=$(marked "$1")
[ -z "$left" ] || kill -KILL $left 2>/dev/null
exit 0
`;

/** The command, with a mark. */
export function markedCommand(command: readonly string[], mark: string): readonly string[] {
  return ["env", `${variable}=${mark}`, ...command];
}

/** The command that ends all that bears the mark; `grace`: milliseconds between SIGTERM and SIGKILL. */
export function killCommand(mark: string, grace: number): readonly string[] {
  return ["sh", "-c", script, "sh", mark, String(Math.ceil(grace / 100))];
}
