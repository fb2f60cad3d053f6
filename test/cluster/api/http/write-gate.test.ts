import { describe, expect, it } from "vitest";
import type { WriteInterceptor, WriteRequest } from "../../../../src/cluster/cluster.ts";
import type { Exchange } from "../../../../src/cluster/api/requests/exchange.ts";
import { adminUser, controllersUser, type ApiUser } from "../../../../src/cluster/api/requests/users.ts";
import { runWrite } from "../../../../src/cluster/api/http/write-gate.ts";

interface Run {
  readonly steps: string[];
  readonly seen: WriteRequest[];
}

async function run(interceptor: WriteInterceptor | undefined, user: ApiUser = adminUser): Promise<Run> {
  const steps: string[] = [];
  const seen: WriteRequest[] = [];
  const exchange = {
    method: "PATCH",
    path: "/api/v1/namespaces/default/configmaps/a",
    query: new URLSearchParams("fieldManager=me"),
    user,
    userAgent: "agent/1",
    request: { socket: { destroy: () => steps.push("dropped") } },
  } as unknown as Exchange;
  const recording: WriteInterceptor | undefined = interceptor && {
    before: (write) => {
      seen.push(write);
      return interceptor.before?.(write) ?? "proceed";
    },
    after: (write, status) => {
      steps.push(`after ${status}`);
      return interceptor.after?.(write, status) ?? "proceed";
    },
  };
  await runWrite({ interceptor: recording }, exchange, "patch", () => {
    steps.push("written");
    return { status: 200, send: () => steps.push("answered") };
  });
  return { steps, seen };
}

describe("write gate", () => {
  it("shows a write to the hooks and lets it pass", async () => {
    const { steps, seen } = await run({});
    expect(steps).toEqual(["written", "after 200", "answered"]);
    expect(seen).toEqual([
      {
        verb: "patch",
        path: "/api/v1/namespaces/default/configmaps/a",
        userAgent: "agent/1",
        user: "admin",
        fieldManager: "me",
      },
    ]);
  });

  it("drops the connection before anything is done", async () => {
    expect((await run({ before: () => "drop" })).steps).toEqual(["dropped"]);
  });

  it("drops the connection after the write, without an answer", async () => {
    expect((await run({ after: () => Promise.resolve("drop") })).steps).toEqual([
      "written",
      "after 200",
      "dropped",
    ]);
  });

  it("does not show writes of the built-in controllers", async () => {
    const { steps, seen } = await run({ before: () => "drop" }, controllersUser);
    expect(steps).toEqual(["written", "answered"]);
    expect(seen).toEqual([]);
  });
});
