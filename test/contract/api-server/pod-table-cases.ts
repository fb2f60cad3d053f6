// What `kubectl get pods` says of pods, pieced together from their containers: those that prepare, sidecars, and the others.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Body, type RawClient } from "./raw-request.ts";

const path = "/api/v1/namespaces/default/pods";
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const merge = { contentType: "application/merge-patch+json" };
/** Half an hour more, which is not said. */
const tenHoursAgo = new Date(Date.now() - 10.5 * 3_600_000).toISOString().replace(/\.\d+/, "");

const running: Body = { ready: true, started: true, state: { running: {} } };
const unready: Body = { ...running, ready: false };
const starting: Body = { ready: false, started: false, state: { running: {} } };
const waiting = (reason?: string): Body => ({
  ready: false,
  started: false,
  state: { waiting: reason === undefined ? {} : { reason } },
});
const exited = (exitCode: number, reason?: string, more: Body = {}): Body => ({
  ready: false,
  started: false,
  state: { terminated: { exitCode, ...(reason === undefined ? {} : { reason }), ...more } },
});
const done = exited(0, "Completed");
const restarted = (status: Body, restartCount: number): Body => ({
  ...status,
  restartCount,
  lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt: tenHoursAgo } },
});
const initializing = waiting("PodInitializing");

/** Statuses of `side` (a sidecar) and `prepare`, and of the two containers `one` and `two`. */
interface Case {
  readonly title: string;
  readonly init?: readonly Body[];
  readonly main?: readonly Body[];
  readonly more?: Body;
  readonly cells: readonly [ready: string, status: string, restarts: string];
}

interface Row {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly unknown[];
}

const initialized = { conditions: [{ type: "Initialized", status: "True" }] };
const isReady = { conditions: [...initialized.conditions, { type: "Ready", status: "True" }] };
const cases: readonly Case[] = [
  { title: "nothing yet", cells: ["0/3", "Pending", "0"] },
  {
    title: "all is up",
    init: [running, done],
    main: [running, running],
    more: { phase: "Running" },
    cells: ["3/3", "Running", "0"],
  },
  {
    title: "a sidecar waits to be started",
    init: [initializing, initializing],
    main: [initializing, initializing],
    cells: ["0/3", "Init:0/2", "0"],
  },
  {
    title: "a sidecar is there, but has not started",
    init: [starting, initializing],
    main: [initializing, initializing],
    cells: ["0/3", "Init:0/2", "0"],
  },
  {
    title: "a sidecar is up, and another container prepares",
    init: [running, starting],
    main: [initializing, initializing],
    cells: ["1/3", "Init:1/2", "0"],
  },
  {
    title: "a sidecar is not ready, and another container prepares",
    init: [unready, starting],
    cells: ["0/3", "Init:1/2", "0"],
  },
  {
    title: "a sidecar cannot be pulled",
    init: [waiting("ImagePullBackOff"), initializing],
    main: [initializing, initializing],
    cells: ["0/3", "Init:ImagePullBackOff", "0"],
  },
  {
    title: "preparing fails",
    init: [running, restarted(exited(1, "Error"), 2)],
    main: [initializing, initializing],
    cells: ["1/3", "Init:Error", "2 (10h ago)"],
  },
  {
    title: "preparing fails without a reason",
    init: [running, exited(3)],
    cells: ["1/3", "Init:ExitCode:3", "0"],
  },
  {
    title: "preparing is ended by a signal",
    init: [running, exited(137, undefined, { signal: 9 })],
    cells: ["1/3", "Init:Signal:9", "0"],
  },
  {
    title: "preparing is tried again and again",
    init: [restarted(running, 1), restarted(waiting("CrashLoopBackOff"), 3)],
    cells: ["1/3", "Init:CrashLoopBackOff", "4 (10h ago)"],
  },
  {
    title: "all waits for its first start",
    init: [running, done],
    main: [waiting("ContainerCreating"), waiting()],
    more: initialized,
    cells: ["1/3", "ContainerCreating", "0"],
  },
  {
    title: "a sidecar crashes while all else runs",
    init: [restarted(waiting("CrashLoopBackOff"), 4), done],
    main: [running, running],
    more: { phase: "Running", ...initialized },
    cells: ["2/3", "Init:CrashLoopBackOff", "4 (10h ago)"],
  },
  {
    title: "a sidecar has been started again",
    init: [restarted(running, 4), restarted(done, 2)],
    main: [running, restarted(unready, 1)],
    more: { phase: "Running", ...isReady },
    cells: ["2/3", "Running", "5 (10h ago)"],
  },
  {
    title: "all is done, the sidecar by a signal",
    init: [exited(143, "Error"), done],
    main: [done, done],
    more: { phase: "Succeeded", ...initialized },
    cells: ["0/3", "Completed", "0"],
  },
  {
    title: "all is done, the sidecar by itself",
    init: [done, done],
    main: [done, done],
    more: { phase: "Succeeded", ...initialized },
    cells: ["0/3", "Completed", "0"],
  },
  {
    title: "one has failed, and the first says so",
    init: [exited(137, "Error"), done],
    main: [exited(2), done],
    more: { phase: "Failed", ...initialized },
    cells: ["0/3", "ExitCode:2", "0"],
  },
  {
    title: "one is done and one runs in a pod that is ready",
    init: [running, done],
    main: [done, running],
    more: { phase: "Running", ...isReady },
    cells: ["2/3", "Running", "0"],
  },
  {
    title: "one is done and one runs in a pod that is not ready",
    init: [running, done],
    main: [done, running],
    more: { phase: "Running", ...initialized },
    cells: ["2/3", "NotReady", "0"],
  },
  {
    title: "its node evicts it",
    init: [exited(137, "Error"), done],
    main: [exited(137, "Error"), exited(137, "OOMKilled")],
    more: { phase: "Failed", reason: "Evicted", ...initialized },
    cells: ["0/3", "Error", "0"],
  },
  {
    title: "it is evicted before anything has run",
    more: { phase: "Failed", reason: "Evicted" },
    cells: ["0/3", "Evicted", "0"],
  },
  {
    title: "it is not placed",
    more: { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    cells: ["0/3", "SchedulingGated", "0"],
  },
];

/** Declares the cases. */
export function declarePodTableCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...each) => client().send(...each);
  const named = (names: readonly string[], statuses: readonly Body[]): readonly Body[] =>
    statuses.map((status, index) => ({
      name: names[index],
      image: "i",
      imageID: "",
      restartCount: 0,
      ...status,
    }));

  beforeAll(async () => {
    await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const { status } = await send("POST", path, {
      metadata: { name: "shown" },
      spec: {
        restartPolicy: "OnFailure",
        automountServiceAccountToken: false,
        initContainers: [
          { name: "side", image: "i", restartPolicy: "Always" },
          { name: "prepare", image: "i" },
        ],
        containers: [
          { name: "one", image: "i" },
          { name: "two", image: "i" },
        ],
      },
    });
    expect(status).toBe(201);
  });

  afterAll(() => send("DELETE", `${path}/shown?gracePeriodSeconds=0`));

  // Dry runs: a status that is stored may not go back to what came before.
  it.each(cases)("$title: $cells", async ({ init = [], main = [], more = {}, cells }) => {
    const { body } = await send(
      "PATCH",
      `${path}/shown/status?dryRun=All`,
      {
        status: {
          phase: "Pending",
          ...more,
          initContainerStatuses: named(["side", "prepare"], init),
          containerStatuses: named(["one", "two"], main),
        },
      },
      { ...merge, ...table },
    );
    const [row] = body["rows"] as readonly Row[];
    expect(row?.cells.slice(1, 4)).toEqual(cells);
    const ends: Readonly<Record<string, string>> = {
      Succeeded: "The pod has completed successfully.",
      Failed: "The pod failed.",
    };
    const reason = String(more["phase"]);
    const message = ends[reason];
    const condition = { type: "Completed", status: "True", reason, message };
    expect(row?.conditions).toEqual(message === undefined ? undefined : [condition]);
  });
}
