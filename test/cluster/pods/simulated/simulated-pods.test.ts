import type { ControllerEvent } from "../../../../src/cluster/controllers/controller-events.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSimulatedPods,
  type SimulatedPods,
} from "../../../../src/cluster/pods/simulated/simulated-pods.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";
import { createPodBench, type PodBench } from "../support/pod-host.ts";

let bench: PodBench;
let pods: SimulatedPods;

beforeEach(async () => {
  bench = createPodBench();
  pods = createSimulatedPods({ startDelay: 100 });
  await pods.start(bench.host);
});

afterEach(async () => {
  const stopped = pods.stop();
  await bench.clock.advance(10_000);
  await stopped;
  expect(bench.clock.pendingTimers).toBe(0);
});

const readiness = (pod: Pod | undefined) =>
  pod?.status?.conditions?.find((condition) => condition.type === "Ready")?.status;
const stateOf = (name: string) => bench.pod(name)?.status?.containerStatuses?.[0];

describe("simulated pods", () => {
  it("are Pending until the delay is over, then Running and ready", async () => {
    bench.add(pods, "web", {});
    await bench.clock.advance(99);
    expect(bench.pod("web")?.status).toMatchObject({ phase: "Pending" });
    expect(stateOf("web")?.state).toEqual({ waiting: { reason: "ContainerCreating" } });
    await bench.clock.advance(1);
    expect(bench.pod("web")?.status).toMatchObject({ phase: "Running", podIP: "10.244.0.2" });
    expect(readiness(bench.pod("web"))).toBe("True");
  });

  it("cause no write once nothing changes any more", async () => {
    bench.add(pods, "web", {});
    await bench.clock.advance(200);
    const count = bench.writes.length;
    pods.sync(bench.pod("web") as Pod);
    await bench.clock.advance(3_600_000);
    expect(bench.writes.length).toBe(count);
  });

  it("never share an address, however often they are deleted and seen to be gone", async () => {
    const live = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      for (const name of ["a", "b", "c"].map((each) => `${each}${round}`)) {
        bench.add(pods, name, {});
        live.add(name);
      }
      await bench.clock.advance(200);
      const addresses = [...live].map((name) => bench.pod(name)?.status?.podIP);
      expect(new Set(addresses).size).toBe(live.size);
      expect(addresses).not.toContain(undefined);
      const [gone] = ["a", "b", "c"].map((each) => `${each}${round}`);
      const pod = bench.pod(gone as string) as Pod;
      bench.remove(pods, pod.metadata.name, 0);
      await bench.clock.advance(100);
      // The object is gone: the watch tells the node of it, too.
      pods.forget(pod);
      live.delete(pod.metadata.name);
    }
  });

  it("complete when their policy does not restart them", async () => {
    bench.add(pods, "job", { restartPolicy: "Never" });
    await bench.clock.advance(1_000);
    expect(bench.pod("job")?.status?.phase).toBe("Succeeded");
    expect(stateOf("job")?.state?.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
  });

  it("run init containers one after the other before the others", async () => {
    bench.add(pods, "web", { initContainers: [{ name: "one" }, { name: "two" }] });
    await bench.clock.advance(250);
    const [one, two] = bench.pod("web")?.status?.initContainerStatuses ?? [];
    expect(one?.state?.terminated?.exitCode).toBe(0);
    expect(two?.state?.terminated).toBeUndefined();
    expect(stateOf("web")?.state?.waiting?.reason).toBe("PodInitializing");
    await bench.clock.advance(300);
    expect(bench.pod("web")?.status?.phase).toBe("Running");
  });

  it("wait with ImagePullBackOff while the script says so, and start once it no longer does", async () => {
    const heal = pods.simulate({ image: "app:1" }, { imagePullFails: true });
    bench.add(pods, "web", {});
    await bench.clock.advance(1_000);
    expect(stateOf("web")?.state?.waiting?.reason).toBe("ImagePullBackOff");
    expect(bench.pod("web")?.status?.phase).toBe("Pending");
    heal();
    await bench.clock.advance(300_000);
    expect(bench.pod("web")?.status?.phase).toBe("Running");
    expect(stateOf("web")?.restartCount).toBe(0);
  });

  it("crash, back off, and recover after the number of times of the script", async () => {
    pods.simulate({ name: "web" }, { exit: { code: 2, after: 50 }, times: 2 });
    bench.add(pods, "web", {});
    await bench.clock.advance(1_000);
    expect(stateOf("web")).toMatchObject({
      restartCount: 1,
      ready: false,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 2, reason: "Error" } },
    });
    await bench.clock.advance(10_000);
    expect(stateOf("web")).toMatchObject({ restartCount: 2, ready: true });
    await bench.clock.advance(3_600_000);
    expect(stateOf("web")?.restartCount).toBe(2);
  });

  it("never become ready when the script says so, and can lose their readiness later", async () => {
    const heal = pods.simulate({ labels: { app: "web" } }, { neverReady: true });
    bench.add(pods, "web", {}, { labels: { app: "web" } });
    bench.add(pods, "other", {});
    await bench.clock.advance(60_000);
    expect(bench.pod("web")?.status?.phase).toBe("Running");
    expect(readiness(bench.pod("web"))).toBe("False");
    expect(readiness(bench.pod("other"))).toBe("True");
    heal();
    await bench.clock.advance(0);
    expect(readiness(bench.pod("web"))).toBe("True");
    pods.simulate({ labels: { app: "web" } }, { neverReady: true });
    await bench.clock.advance(0);
    expect(readiness(bench.pod("web"))).toBe("False");
  });

  it("are removed from the API once ended, within their grace period", async () => {
    pods.simulate({ name: "slow" }, { endAfter: 5_000 });
    bench.add(pods, "slow", {});
    await bench.clock.advance(200);
    bench.remove(pods, "slow", 30);
    await bench.clock.advance(4_999);
    expect(bench.pod("slow")).toBeDefined();
    await bench.clock.advance(1);
    expect(bench.pod("slow")).toBeUndefined();
  });

  it("are killed when the grace period is over", async () => {
    pods.simulate({ name: "stuck" }, { endAfter: 3_600_000 });
    bench.add(pods, "stuck", {});
    await bench.clock.advance(200);
    bench.remove(pods, "stuck", 30);
    await bench.clock.advance(29_999);
    expect(bench.pod("stuck")).toBeDefined();
    await bench.clock.advance(1);
    expect(bench.pod("stuck")).toBeUndefined();
  });

  it("follow a grace period that is shortened", async () => {
    pods.simulate({ name: "stuck" }, { endAfter: 3_600_000 });
    bench.add(pods, "stuck", {});
    await bench.clock.advance(200);
    bench.remove(pods, "stuck", 30);
    await bench.clock.advance(1_000);
    bench.remove(pods, "stuck", 0);
    await bench.clock.advance(0);
    expect(bench.pod("stuck")).toBeUndefined();
  });

  it("show how they ended while a finalizer keeps them", async () => {
    bench.add(pods, "kept", {}, { finalizers: ["a.b/c"] });
    await bench.clock.advance(200);
    bench.remove(pods, "kept", 30);
    await bench.clock.advance(0);
    expect(bench.pod("kept")?.status?.phase).toBe("Failed");
    expect(stateOf("kept")?.state?.terminated).toMatchObject({ exitCode: 143 });
  });

  it("fail when their own deadline is over", async () => {
    bench.add(pods, "late", { activeDeadlineSeconds: 5 });
    await bench.clock.advance(4_999);
    expect(bench.pod("late")?.status?.phase).toBe("Running");
    await bench.clock.advance(1);
    expect(bench.pod("late")?.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });

  it("follow a deadline that is set, or moved, while they run, and tell of it", async () => {
    const told: string[] = [];
    const telling = createSimulatedPods();
    const sink = {
      record: (_: object, { type, reason }: ControllerEvent) => void told.push(`${type} ${reason}`),
    };
    await telling.start({ ...bench.host, events: { from: () => sink } });
    bench.add(telling, "set", {});
    bench.add(telling, "moved", { activeDeadlineSeconds: 60 });
    await bench.clock.advance(1_000);
    bench.change(telling, "set", { activeDeadlineSeconds: 3 });
    bench.change(telling, "moved", { activeDeadlineSeconds: 4 });
    await bench.clock.advance(2_000);
    expect(bench.pod("set")?.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(bench.pod("moved")?.status?.phase).toBe("Running");
    await bench.clock.advance(1_000);
    expect(bench.pod("moved")?.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(told).toEqual(["Normal DeadlineExceeded", "Normal DeadlineExceeded"]);
    await telling.stop();
  });

  it("run beside their sidecars, which end with them", async () => {
    const initContainers = [{ name: "proxy", restartPolicy: "Always" as const }];
    bench.add(pods, "job", { restartPolicy: "Never", initContainers });
    await bench.clock.advance(1_000);
    expect(bench.pod("job")?.status?.phase).toBe("Succeeded");
    expect(bench.pod("job")?.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(143);
  });

  it("are not written any more once their object is gone", async () => {
    const pod = bench.add(pods, "web", {});
    await bench.clock.advance(50);
    const count = bench.writes.length;
    pods.forget(pod);
    await bench.clock.advance(10_000);
    expect(bench.writes.length).toBe(count);
  });

  it("are not started when they are being deleted already, and do not lose what they ended with", async () => {
    const metadata = {
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 30,
      finalizers: ["a.b/c"],
    };
    bench.add(pods, "going", {}, metadata);
    await bench.clock.advance(60_000);
    expect(bench.writes).toEqual([]);
    expect(bench.pod("going")).toBeDefined();
    bench.add(pods, "gone", {}, { ...metadata, finalizers: [] });
    await bench.clock.advance(0);
    expect(bench.pod("gone")).toBeUndefined();
  });

  it("answers commands, the newest answer first", async () => {
    bench.add(pods, "web", {});
    const said: string[] = [];
    const exec = (...command: string[]): ReturnType<typeof pods.exec> =>
      pods.exec({
        namespace: "n",
        name: "web",
        command,
        onStdout: (chunk) => void said.push(`out ${Buffer.from(chunk).toString()}`),
        onStderr: (chunk) => void said.push(`err ${Buffer.from(chunk).toString()}`),
      });
    pods.answer({}, { exec: ({ command }) => ({ stdout: `old ${command.join(" ")}` }) });
    pods.answer({ name: "other" }, { exec: () => ({ stdout: "not meant" }) });
    const remove = pods.answer(
      { name: /^web/ },
      {
        exec: ({ command: [program], container, pod }) =>
          program === "status"
            ? { stdout: `${container} of ${pod.metadata.name}`, stderr: "warned", exitCode: 2 }
            : undefined,
      },
    );
    expect(await exec("status")).toEqual({ exitCode: 2 });
    expect(await exec("list", "users")).toEqual({ exitCode: 0 });
    remove();
    await exec("status");
    expect(said).toEqual(["out main of web", "err warned", "out old list users", "out old status"]);
  });

  it("opens no port that nobody answers for", async () => {
    bench.add(pods, "web", {});
    const closed = pods.connect({ namespace: "n", name: "web", port: 80 });
    await expect(closed).rejects.toMatchObject({ code: "POD_PORT_CLOSED" });
  });

  it("cannot run commands", async () => {
    bench.add(pods, "web", {});
    await expect(pods.exec({ namespace: "n", name: "web", command: ["true"] })).rejects.toMatchObject({
      code: "EXEC_UNSUPPORTED",
    });
    await expect(pods.exec({ namespace: "n", name: "none", command: ["true"] })).rejects.toMatchObject({
      code: "POD_NOT_FOUND",
    });
  });
});
