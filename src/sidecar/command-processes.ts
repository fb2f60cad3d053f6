// The processes of commands, as Linux shows them in /proc: by what the process that leads a group is known again, also to another
// sidecar, and how all that it has left running is ended.
import { readdirSync, readFileSync } from "node:fs";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";

/** By what a process is known again: a number is given to another one later, but never in the same instant. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, in the kernel's ticks since it was started; and which start of the kernel that was. */
  readonly began: string;
  readonly boot: string;
}

/** The variable in the environment of a command, and of all that it starts, that says for which key it runs. */
export const keyVariable = "IDEMPOTENCY_KEY";

/** Milliseconds that killed processes may take to be gone, and between two looks. */
const longestEnd = 5_000;
const lookInterval = 50;

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  readonly began: string;
}

/** The mark of a process; undefined where nothing shows it. */
export function markOf(pid: number): ProcessMark | undefined {
  const stat = statOf(pid);
  const boot = bootId();
  return stat === undefined || boot === undefined ? undefined : { pid, began: stat.began, boot };
}

/**
 * Ends what the command of a key has left running: its group and its session, which it leads, and whatever has the key in its environment.
 * Resolves to what became of it: `gone`; `alive` where something could not be ended; `unknown` where nothing shows what runs.
 */
export async function endLeftOver(
  key: string,
  mark: ProcessMark | undefined,
  clock: Clock,
): Promise<"gone" | "alive" | "unknown"> {
  if (bootId() === undefined) return "unknown";
  const deadline = monotonicNow(clock) + longestEnd;
  for (;;) {
    const left = leftOver(key, mark);
    if (left.length === 0) return "gone";
    for (const pid of left) kill(pid);
    if (monotonicNow(clock) >= deadline) return "alive";
    await sleep(clock, lookInterval);
  }
}

/** The processes that are left of a command. */
function leftOver(key: string, mark: ProcessMark | undefined): readonly number[] {
  const all = pids().flatMap((pid) => statOf(pid) ?? []);
  const alive = all.filter(({ pid, state }) => pid !== process.pid && state !== "Z" && state !== "X");
  const isSame = mark !== undefined && mark.boot === bootId();
  const leader = isSame ? all.find(({ pid }) => pid === mark.pid) : undefined;
  // While anything of a group is left, its number is given to nobody else; a leader that began at another time leads another one.
  const hasGroup = isSame && (leader === undefined || leader.began === mark.began);
  const isInGroup = ({ group, session, began }: Stat): boolean =>
    hasGroup && (group === mark.pid || session === mark.pid) && Number(began) >= Number(mark.began);
  return alive
    .filter((stat) => {
      const ofKey = keyOf(stat.pid);
      return ofKey === undefined ? isInGroup(stat) : ofKey === key;
    })
    .map(({ pid }) => pid);
}

function pids(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** See proc_pid_stat(5): the name of the program, in brackets, may hold anything. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", , group, session, ...more] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { pid, state, group: Number(group), session: Number(session), began: more[15] ?? "" };
  } catch {
    // Ended meanwhile.
    return undefined;
  }
}

/** The key for which a process runs; undefined where its environment does not say, or belongs to another user. */
function keyOf(pid: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    const prefix = `${keyVariable}=`;
    return variables.find((each) => each.startsWith(prefix))?.slice(prefix.length);
  } catch {
    return undefined;
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended meanwhile, or not ours to end: then it is found again.
  }
}
