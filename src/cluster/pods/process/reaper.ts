// Ends the pods' processes when the cluster's own process is gone, however it went: a small shell beside it that reads the
// process groups from a pipe, and ends those it knows of when the pipe closes. It has a session of its own, so that what
// ends the cluster's group does not end it too.
import { spawn } from "node:child_process";
import type { Logger } from "../../../ports/logger.ts";

/** Knows which process groups are to be ended with us. */
export interface Reaper {
  add(leader: number): void;
  remove(leader: number): void;
  /** No group is left; the shell ends. */
  close(): void;
}

/** `+ PID` and `- PID` lines; at the end of the input SIGTERM, a second of grace, then SIGKILL to all descendants. */
const script = `
trap '' HUP INT TERM
groups=
while read -r operation leader; do
  case $operation in
    +) groups="$groups $leader" ;;
    -) rest=; for group in $groups; do [ "$group" = "$leader" ] || rest="$rest $group"; done; groups=$rest ;;
  esac
done
[ -n "$groups" ] || exit 0
tree() { for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do echo "$child"; tree "$child"; done; }
all=$(for group in $groups; do tree "$group"; done)
for group in $groups; do kill -TERM -"$group" 2>/dev/null; done
sleep 1
for group in $groups; do kill -KILL -"$group" 2>/dev/null; done
for process in $all; do kill -KILL "$process" 2>/dev/null; done
`;

/** Starts the shell. Where there is none, a warning is logged and pods may outlive a cluster that is killed. */
export function startReaper(log: Logger): Reaper {
  const shell = spawn("/bin/sh", ["-c", script, "xstate-operator-reaper"], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  let usable = true;
  const fail = (error: Error): void => {
    if (usable) log.warn({ error: error.message }, "no reaper: pods may outlive a killed cluster");
    usable = false;
  };
  shell.on("error", fail);
  shell.stdin.on("error", fail);
  // It must not keep our process alive.
  shell.unref();
  const write = (line: string): void => {
    if (usable) shell.stdin.write(`${line}\n`);
  };
  return {
    add: (leader) => write(`+ ${leader}`),
    remove: (leader) => write(`- ${leader}`),
    close() {
      usable = false;
      shell.stdin.end();
    },
  };
}
