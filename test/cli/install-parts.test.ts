// What an installation waits for, through outages of the API server.
import { describe, expect, it } from "vitest";
import { whenReady } from "../../src/cli/install/apply-manifests.ts";
import { ApiError } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

const document = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "jars.kitchen.example.com" },
};
const established = { status: { conditions: [{ type: "Established", status: "True" }] } };
const unreachable = new OperatorError("CONNECTION_FAILED", "the API server cannot be reached");
const unavailable = new ApiError("etcd has no leader", { status: 503 } as never);
const forbidden = new ApiError("may not read it", { status: 403 } as never);

describe("the wait for what was applied", () => {
  const waiting = (answers: readonly (object | Error)[]) => {
    const clock = createVirtualClock();
    let asked = 0;
    const get = () => {
      const answer = answers[Math.min(asked++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const tools = { client: { get } as unknown as KubeClient, clock, signal: new AbortController().signal };
    return { clock, waited: whenReady(tools, document, 10_000), asked: () => asked };
  };

  it("goes on when the API server can be reached again", async () => {
    const { clock, waited, asked } = waiting([unreachable, unavailable, {}, established]);
    await clock.advance(2_000);
    await waited;
    expect(asked()).toBe(4);
    expect(clock.pendingTimers).toBe(0);
  });

  it("ends with the outage when that takes too long, and with any other failure at once", async () => {
    const { clock, waited } = waiting([unreachable]);
    const outcome = expect(waited).rejects.toThrow(unreachable);
    await clock.advance(11_000);
    await outcome;
    await expect(waiting([forbidden]).waited).rejects.toThrow(forbidden);
  });
});
