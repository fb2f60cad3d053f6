// Tasks that a service or a command does: one key for all their calls, and nothing begun twice that can be asked for.
import { describe, expect, it, onTestFinished } from "vitest";
import type { ExecOptions, ExecResult } from "../../src/client/kube-client.ts";
import { execTask } from "../../src/controller/tasks/exec-task.ts";
import { httpTask } from "../../src/controller/tasks/http-task.ts";
import type { TaskCall, TaskDefinition } from "../../src/lifecycle/tasks/task-definition.ts";
import { createTaskRunner } from "../../src/lifecycle/tasks/task-runner.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import type { HookContext } from "../../src/reconcile/hook-context.ts";
import { createHttpClient } from "../../src/remote/http-client.ts";
import { json, startLocalServer, type Answer } from "../client/local-server.ts";

type Given = HookContext<KubeObject> & TaskCall;
type Task = TaskDefinition<HookContext<KubeObject>>;

const callOf = (call: Partial<Given> = {}): Given => ({ key: "work-1-1", started: true, ...call }) as Given;

async function service(answer: Answer) {
  const server = await startLocalServer(answer);
  const http = createHttpClient({ baseUrl: server.url, env: {} });
  onTestFinished(() => http.close());
  const task: Task = httpTask({
    http,
    start: ({ key }) => ({ url: `/jobs/${key}`, body: { size: 3 } }),
    status: ({ key }) => ({ url: `/jobs/${key}` }),
    cancel: ({ key }) => ({ url: `/jobs/${key}` }),
  });
  return { server, task };
}

describe("a task over HTTP", () => {
  it("begins by POST with the task's key, and takes the answer for its handle", async () => {
    const { server, task } = await service((response) => json(response, { id: 7 }, 202));
    expect(await task.start(callOf())).toEqual({ id: 7 });
    expect(server.received).toMatchObject([
      {
        method: "POST",
        url: "/jobs/work-1-1",
        body: '{"size":3}',
        headers: { "idempotency-key": "work-1-1" },
      },
    ]);
  });

  it("says what the service says of it, and that it is lost where the service does not know it", async () => {
    const said: unknown[] = [
      { phase: "Running", progress: 0.4 },
      { phase: "Succeeded", output: [1] },
      undefined,
      {},
    ];
    const { task } = await service((response) => {
      const next = said.shift();
      json(response, next ?? {}, next === undefined ? 404 : 200);
    });
    expect(await task.observe?.(callOf())).toEqual({ phase: "Running", progress: 0.4 });
    expect(await task.observe?.(callOf())).toEqual({ phase: "Succeeded", output: [1] });
    expect(await task.observe?.(callOf())).toEqual({ phase: "NotFound" });
    await expect(task.observe?.(callOf())).rejects.toMatchObject({ code: "TASK_STATUS_UNREADABLE" });
  });

  it("asks for a start whose answer was lost, and sends none of its own accord a second time", async () => {
    const begun = new Set<string>();
    const { server, task } = await service((response, { method, url }) => {
      if (method !== "POST") return json(response, begun.has(url) ? { phase: "Running" } : {}, 200);
      begun.add(url);
      response.destroy();
    });
    const context = {} as HookContext<KubeObject>;
    const runner = createTaskRunner({ tasks: { work: task }, context, clock: systemClock });
    const record = { key: "work-1-1", id: "work", src: "work", attempt: 1, phase: "Intended" } as never;
    expect(await runner.run({ kind: "startTask", id: "work", task: record })).toMatchObject({
      kind: "unanswered",
      hook: "start",
    });
    expect(await runner.look(record)).toMatchObject({ kind: "observed", observation: { phase: "Running" } });
    expect(server.received.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("is cancelled by DELETE, also when the service does not know it any more", async () => {
    const { server, task } = await service((response) => json(response, {}, 404));
    await task.cancel?.(callOf());
    expect(server.received.at(-1)?.method).toBe("DELETE");
  });
});

describe("a task by commands", () => {
  const results: Partial<ExecResult>[] = [];
  const commands: ExecOptions[] = [];
  const client = {
    exec: (_pod: unknown, options: ExecOptions): Promise<ExecResult> => {
      commands.push(options);
      const none = Buffer.alloc(0);
      return Promise.resolve({ exitCode: 0, stdout: none, stderr: none, ...results.shift() });
    },
  } as unknown as HookContext<KubeObject>["client"];
  const task: Task = execTask({
    pod: () => ({ namespace: "default", name: "db-0", container: "server" }),
    start: () => ["begin", "backup"],
    status: () => ({ command: ["status"], timeout: 2_000 }),
    cancel: () => ["end"],
  });

  it("runs them in the container, with the key in their environment", async () => {
    results.push({ stdout: Buffer.from('{"id": 3}\n') });
    expect(await task.start(callOf({ client }))).toEqual({ id: 3 });
    expect(commands.at(-1)).toMatchObject({
      command: ["env", "IDEMPOTENCY_KEY=work-1-1", "begin", "backup"],
      container: "server",
    });
    results.push({ stdout: Buffer.from('{"phase": "Running", "progress": 0.5}') });
    expect(await task.observe?.(callOf({ client }))).toEqual({ phase: "Running", progress: 0.5 });
    await task.cancel?.(callOf({ client }));
    expect(commands.at(-1)?.command.slice(2)).toEqual(["end"]);
  });

  it("fails with what the command says, and asks for the rights that it needs", async () => {
    results.push({ exitCode: 2, stderr: Buffer.from("disk full\n") });
    await expect(task.start(callOf({ client }))).rejects.toMatchObject({
      code: "TASK_COMMAND_FAILED",
      message: "the command ended with exit code 2: disk full",
    });
    expect(task.permissions).toMatchObject([{ subresource: "exec", verbs: ["get", "create"] }]);
  });
});
