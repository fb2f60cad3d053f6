// What a sidecar still knows of its tasks, and does for them, when it was killed or its records were damaged.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/ports/system-clock.ts";
import { endLeftOver, markOf } from "../../src/sidecar/command-processes.ts";
import { SidecarTasks, type SidecarTasksOptions } from "../../src/sidecar/sidecar-tasks.ts";
import { eventually } from "../support/eventually.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sidecar-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A sidecar's tasks, loaded; `said` is what they have logged. */
async function loaded(
  given: Partial<SidecarTasksOptions> & Pick<SidecarTasksOptions, "directory">,
): Promise<{ readonly tasks: SidecarTasks; readonly said: readonly object[] }> {
  const said: object[] = [];
  const note = (fields: object, message: string): void => void said.push({ message, ...fields });
  const log = { child: () => log, debug: note, info: note, warn: note, error: note } as never;
  const tasks = new SidecarTasks({
    tasks: {},
    maxTasks: 4,
    maxOutput: 2_048,
    grace: 200,
    clock: systemClock,
    log,
    onChange: () => undefined,
    ...given,
  });
  await tasks.load();
  onTestFinished(() => tasks.stop());
  return { tasks, said };
}

const whole = {
  id: "k",
  task: "work",
  phase: "Succeeded",
  startedAt: "2026-01-01T00:00:00.000Z",
  inputHash: "0",
};

describe("a record that is damaged", () => {
  it.each([
    ["half of one", '{"id":"k","task":"wo'],
    ["nothing", ""],
    ["another's", JSON.stringify({ ...whole, id: "other" })],
    ["one in a phase that there is not", JSON.stringify({ ...whole, phase: "Sucedeed" })],
    ["one without its task", JSON.stringify({ ...whole, task: undefined })],
    ["a list", "[]"],
  ])("is kept apart and told, and its key is used up: %s", async (_, text) => {
    const directory = folder();
    mkdirSync(join(directory, "tasks"));
    writeFileSync(join(directory, "tasks/k.json"), text);
    let runs = 0;
    for (const start of [1, 2]) {
      const { tasks, said } = await loaded({ directory, tasks: { work: () => void (runs += 1) } });
      expect([start, said]).toEqual([
        start,
        [
          expect.objectContaining({
            message: "the record of a task is damaged: it is kept apart, and its key is used up",
            key: "k",
            file: "k.damaged",
          }),
        ],
      ]);
      const record = { id: "k", phase: "Failed", message: expect.stringContaining("k.damaged") as string };
      expect(tasks.get("k")).toMatchObject(record);
      expect(await tasks.begin("work", "k", undefined)).toMatchObject({ kind: "known", record });
      expect(await tasks.begin("work", `next-${start}`, undefined)).toMatchObject({ kind: "begun" });
      await tasks.stop();
    }
    expect(runs).toBe(2);
    expect(readFileSync(join(directory, "tasks/k.damaged"), "utf8")).toBe(text);
    expect(readdirSync(join(directory, "tasks"))).not.toContain("k.json");
  });

  it("does not keep the sidecar from starting where it cannot be read at all", async () => {
    const directory = folder();
    mkdirSync(join(directory, "tasks/k.json"), { recursive: true });
    const { tasks } = await loaded({ directory, tasks: { work: () => undefined } });
    expect(await tasks.begin("work", "k", undefined)).toMatchObject({ record: { phase: "Failed" } });
  });
});

describe.skipIf(!existsSync("/proc/self/stat"))("what a command has left running", () => {
  const started = (args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess => {
    const child = spawn("sh", ["-c", ...args], { detached: true, stdio: ["ignore", "pipe", "ignore"], env });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const alive = (pid: number): boolean => {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "x) Z";
    return !/\) [ZX]/.test(stat);
  };
  const printed = async (child: ChildProcess): Promise<number> => {
    const [text] = (await once(child.stdout!, "data")) as [Buffer];
    return Number(text.toString());
  };

  it("is ended, also what has another environment and outlives the process that began it", async () => {
    const directory = folder();
    const pids = join(directory, "pids");
    // The command itself ends at once; what it leaves behind has nothing of its environment.
    const script = `env -i sh -c 'echo $$ > ${pids}; trap "" TERM; while :; do sleep 0.05; done' & setsid sh -c 'echo $$ > ${pids}2; exec sleep 600' & wait`;
    const { tasks } = await loaded({ directory, tasks: { work: { command: ["sh", "-c", script] } } });
    await tasks.begin("work", "work-1", undefined);
    const left = await eventually(() => {
      const found = [pids, `${pids}2`].map((path) => Number(readFileSync(path, "utf8")));
      expect(found.every(alive)).toBe(true);
      return found;
    });
    const file = join(directory, "tasks/work-1.json");
    const stored = await eventually(() => {
      const record = JSON.parse(readFileSync(file, "utf8")) as {
        readonly process?: { readonly pid: number };
      };
      expect(record.process).toMatchObject({ boot: expect.any(String) as string });
      return record;
    });
    expect(tasks.get("work-1")).not.toHaveProperty("process");
    // As it was when the sidecar was killed.
    const later = folder();
    mkdirSync(join(later, "tasks"));
    writeFileSync(join(later, "tasks/work-1.json"), JSON.stringify(stored));
    process.kill(stored.process!.pid, "SIGKILL");
    const { tasks: next } = await loaded({
      directory: later,
      tasks: { work: { command: ["true"] } },
    });
    expect(next.get("work-1")).toMatchObject({
      phase: "Failed",
      message: "the sidecar ended while this ran; it was not begun again",
    });
    expect(left.map(alive)).toEqual([false, false]);
  });

  it("is no process that has the number of one that has ended, nor one that runs for another key", async () => {
    const other = started(["echo $$; exec sleep 600"], { ...process.env, IDEMPOTENCY_KEY: "other-1" });
    const pid = await printed(other);
    const mark = markOf(pid)!;
    expect(mark.pid).toBe(pid);
    expect(await endLeftOver("gone-1", { ...mark, began: "1" }, systemClock)).toBe("gone");
    expect(await endLeftOver("gone-1", { ...mark, boot: "before" }, systemClock)).toBe("gone");
    expect(await endLeftOver("gone-1", mark, systemClock)).toBe("gone");
    expect(alive(pid)).toBe(true);
    expect(await endLeftOver("other-1", undefined, systemClock)).toBe("gone");
    expect(alive(pid)).toBe(false);
  });
});

describe("a record of a task that ran when the sidecar was killed", () => {
  it("does not say that the application has ended what was asked of it", async () => {
    const directory = folder();
    mkdirSync(join(directory, "tasks"));
    writeFileSync(join(directory, "tasks/k.json"), JSON.stringify({ ...whole, phase: "Running" }));
    const { tasks } = await loaded({ directory, tasks: { work: { url: "http://127.0.0.1:1/" } } });
    expect(tasks.get("k")).toMatchObject({
      phase: "Failed",
      message:
        "the sidecar ended while this ran; it was not begun again, but the application may still do it",
    });
  });
});

describe("what a command prints", () => {
  it("is not waited for once it has ended, whatever holds its output open", async () => {
    const { tasks } = await loaded({
      directory: folder(),
      tasks: {
        leaving: { command: ["sh", "-c", "setsid sh -c 'echo $$; exec sleep 600' & sleep 0.3; exit 0"] },
      },
    });
    await tasks.begin("leaving", "leaving-1", undefined);
    const record = await eventually(() => {
      const known = tasks.get("leaving-1");
      expect(known?.phase).toBe("Succeeded");
      return known;
    });
    process.kill(Number(record?.output), "SIGKILL");
  });

  it("is read in a time that grows as it does, however short its lines are", async () => {
    const { tasks } = await loaded({
      directory: folder(),
      maxOutput: 1_000_000,
      tasks: { chatty: { command: ["sh", "-c", "yes | head -n 2000000; echo end"] } },
    });
    const before = process.cpuUsage();
    await tasks.begin("chatty", "chatty-1", undefined);
    const record = await eventually(() => {
      const known = tasks.get("chatty-1");
      expect(known?.phase).not.toBe("Running");
      return known;
    }, 60_000);
    const output = record?.output as string;
    expect(output.length).toBeGreaterThan(600_000);
    expect(output.endsWith("y\nend")).toBe(true);
    // Two millions of lines, each with a copy of what is kept: minutes. Without: less than two seconds.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(15);
  }, 90_000);

  it("is announced now and then, however often it says how far it is, and its end in any case", async () => {
    const heard: string[] = [];
    const { tasks } = await loaded({
      directory: folder(),
      onChange: ({ phase }) => void heard.push(phase),
      tasks: {
        busy: { command: ["sh", "-c", `yes '{"progress":0.5,"message":"half"}' | head -n 50000; echo done`] },
      },
    });
    await tasks.begin("busy", "busy-1", undefined);
    await eventually(() => expect(tasks.get("busy-1")).toMatchObject({ phase: "Succeeded", output: "done" }));
    await eventually(() => expect(heard.at(-1)).toBe("Succeeded"));
    expect(heard.length).toBeLessThan(1_000);
  });

  it("is text where it is nested without end", async () => {
    const deep = `${"[".repeat(7_000)}${"]".repeat(7_000)}`;
    const { tasks } = await loaded({
      directory: folder(),
      tasks: { deep: { command: ["printf", "%s\\n", `{"progress":${deep}}`, `{"output":${deep}}`] } },
    });
    await tasks.begin("deep", "deep-1", undefined);
    const record = await eventually(() => {
      const known = tasks.get("deep-1");
      expect(known?.phase).toBe("Succeeded");
      return known;
    });
    expect(record).not.toHaveProperty("progress");
    expect(record?.output).toMatch(/\]{100}\}$/);
  });
});
