// What a script of pods makes of pods, as the API server shows it: the words are the kubelet's. On a virtual clock, without sockets.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { readPodScript } from "../../../../src/cli/pod-script.ts";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import type { SimulatedPods } from "../../../../src/cluster/pods/simulated/simulated-pods.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import { Pod } from "../../../../src/kinds/builtin/core.ts";
import { ReplicaSet } from "../../../../src/kinds/builtin/apps.ts";
import type { NamespacedObject } from "../../../../src/meta/object.ts";
import type { VirtualClock } from "../../../../src/testing/virtual-clock.ts";
import { startScriptedCluster, type ScriptedCluster } from "./support/scripted-cluster.ts";

interface CoreEvent extends NamespacedObject {
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
  readonly source: { readonly component: string };
}

const script = `
pods:
  - match: { namespace: default, name: "slow-*" }
    startAfter: 1s
    readyAfter: 10s
    logs: |
      opening the store
      ready
  - match: { image: "registry.example/*:missing" }
    imagePullFails: "registry.example/app:missing: not found"
  - match: { labels: { app: crashing } }
    startAfter: 0
    exit: { after: 5s, message: no such table }
    times: 3
  - match: { name: hungry }
    exit: { reason: OOMKilled, after: 20s }
  - match: { labels: { app: evicted } }
    evict: { after: 1m, message: "The node was low on resource: ephemeral-storage. ", pods: 1 }
  - match: { name: lingering }
    endAfter: 20s
  - match: { name: "answering*" }
    exec:
      - command: brokerctl status
        stdout: |
          running
      - command: [brokerctl, "stop*"]
        stderr: refused
        exitCode: 3
    ports:
      - port: 8080
        http:
          - path: /healthz
            body: ok
          - { path: "/jobs/*", method: post, status: 202, headers: { content-type: application/json }, body: '{"id": 7}' }
`;

let cluster: ScriptedCluster;
let clock: VirtualClock;
let client: KubeClient;
let pods: SimulatedPods;

const CoreEvents = builtin<CoreEvent>("v1", "Event", "events");

beforeAll(async () => {
  cluster = await startScriptedCluster(script);
  ({ clock, client, pods } = cluster);
  await clock.advance(5_000);
});

afterAll(() => cluster.stop());

const keyOf = (name: string) => ({ namespace: "default", name });

/** Creates a pod, and lets the node take it. */
async function create(
  name: string,
  { image = "app:1", labels = {} }: { image?: string; labels?: Record<string, string> } = {},
): Promise<void> {
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...keyOf(name), labels },
    spec: { containers: [{ name: "main", image }] },
  });
  await clock.advance(0);
}

const statusOf = async (name: string) => (await client.get(Pod, keyOf(name))).status;
const containerOf = async (name: string) => (await statusOf(name))?.containerStatuses?.[0];
const conditionOf = async (name: string, type: string) =>
  (await statusOf(name))?.conditions?.find((each) => each.type === type);

/** The Events of a pod, in order. */
async function eventsOf(name: string): Promise<readonly string[]> {
  const { items } = await client.list(CoreEvents, { namespace: "default" });
  return items
    .filter(({ involvedObject, source }) => involvedObject.name === name && source.component === "kubelet")
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(({ type, reason, message, involvedObject: { fieldPath = "pod" } }) =>
      [type, reason, `${fieldPath}:`, message].join(" "),
    );
}

describe("pods of a script", () => {
  it("run and become ready when it says, and have its log", async () => {
    await create("slow-1");
    await clock.advance(999);
    expect((await containerOf("slow-1"))?.state).toEqual({ waiting: { reason: "ContainerCreating" } });
    await clock.advance(1);
    expect((await statusOf("slow-1"))?.phase).toBe("Running");
    await clock.advance(9_999);
    expect(await conditionOf("slow-1", "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [main]",
    });
    await clock.advance(1);
    expect((await conditionOf("slow-1", "Ready"))?.status).toBe("True");
    const lines: string[] = [];
    for await (const line of pods.logs(keyOf("slow-1"))) lines.push(line);
    expect(lines).toEqual(["opening the store\n", "ready\n"]);
    expect(await eventsOf("slow-1")).toEqual([]);
  });

  it("wait for an image that cannot be pulled", async () => {
    const image = "registry.example/app:missing";
    await create("typo", { image });
    await clock.advance(50);
    const failure = `failed to pull and unpack image "${image}": registry.example/app:missing: not found`;
    expect((await containerOf("typo"))?.state?.waiting).toEqual({ reason: "ErrImagePull", message: failure });
    await clock.advance(1_000);
    expect((await containerOf("typo"))?.state?.waiting).toEqual({
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "${image}": ErrImagePull: ${failure}`,
    });
    expect((await statusOf("typo"))?.phase).toBe("Pending");
    expect(await eventsOf("typo")).toEqual([
      `Normal Pulling spec.containers{main}: Pulling image "${image}"`,
      `Warning Failed spec.containers{main}: Failed to pull image "${image}": ${failure}`,
      "Warning Failed spec.containers{main}: Error: ErrImagePull",
      `Normal BackOff spec.containers{main}: Back-off pulling image "${image}"`,
      "Warning Failed spec.containers{main}: Error: ImagePullBackOff",
    ]);
  });

  it("crash, and are restarted after growing delays, as often as it says", async () => {
    await create("crashing", { labels: { app: "crashing" } });
    const { uid } = (await client.get(Pod, keyOf("crashing"))).metadata;
    const pod = `crashing_default(${uid})`;
    await clock.advance(5_000);
    expect(await containerOf("crashing")).toMatchObject({ restartCount: 1, state: { running: {} } });
    await clock.advance(5_000);
    expect(await containerOf("crashing")).toMatchObject({
      restartCount: 1,
      ready: false,
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: `back-off 10s restarting failed container=main pod=${pod}`,
        },
      },
      lastState: { terminated: { exitCode: 1, reason: "Error", message: "no such table" } },
    });
    expect(await eventsOf("crashing")).toEqual([
      `Warning BackOff spec.containers{main}: Back-off restarting failed container main in pod ${pod}`,
    ]);
    await clock.advance(600_000);
    expect(await containerOf("crashing")).toMatchObject({ restartCount: 3, ready: true });
  });

  it("are killed for their memory", async () => {
    await create("hungry");
    await clock.advance(20_050);
    expect(await containerOf("hungry")).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 137, reason: "OOMKilled" } },
    });
    await clock.advance(50);
    expect(await containerOf("hungry")).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
    });
  });

  it("are evicted by their node, and replaced by their owner", async () => {
    const labels = { app: "evicted" };
    await client.create(ReplicaSet, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: keyOf("evicted"),
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "app:1" }] } },
      },
    });
    await clock.advance(1_000);
    const listed = async () => (await client.list(Pod, { labelSelector: "app=evicted" })).items;
    const [{ metadata: { name } } = { metadata: { name: "" } }, ...more] = await listed();
    expect(more).toEqual([]);
    await clock.advance(60_000);
    const message = "The node was low on resource: ephemeral-storage. ";
    expect(await statusOf(name)).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect(await containerOf(name)).toMatchObject({ state: { terminated: { exitCode: 137 } } });
    expect(await conditionOf(name, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "TerminationByKubelet",
      message,
    });
    expect(await eventsOf(name)).toEqual([`Warning Evicted pod: ${message}`]);
    // Of the replacements none is evicted.
    await clock.advance(300_000);
    const running = (await listed()).filter(({ status }) => status?.phase === "Running");
    expect(running).toHaveLength(1);
    expect(await listed()).toHaveLength(2);
  });

  it("take their time to end", async () => {
    await create("lingering");
    await clock.advance(100);
    await client.delete(Pod, keyOf("lingering"));
    await clock.advance(19_999);
    expect((await client.get(Pod, keyOf("lingering"))).metadata.deletionTimestamp).toBeDefined();
    await clock.advance(1);
    await expect(client.get(Pod, keyOf("lingering"))).rejects.toMatchObject({ status: 404 });
  });

  it("answer commands, and requests to their ports", async () => {
    await create("answering");
    await clock.advance(100);
    const said: string[] = [];
    const exec = async (...command: string[]): Promise<unknown> => {
      said.length = 0;
      const result = await pods.exec({
        ...keyOf("answering"),
        command,
        onStdout: (chunk) => void said.push(`out ${Buffer.from(chunk).toString()}`),
        onStderr: (chunk) => void said.push(`err ${Buffer.from(chunk).toString()}`),
      });
      return [...said, result.exitCode];
    };
    expect(await exec("brokerctl", "status", "--json")).toEqual(["out running\n", 0]);
    expect(await exec("brokerctl", "stop-app")).toEqual(["err refused", 3]);
    await expect(exec("brokerctl")).rejects.toMatchObject({
      code: "EXEC_UNSUPPORTED",
      remedy: expect.stringContaining("`exec` in a script of pods"),
    });

    const ask = async (request: string): Promise<string> => {
      const connection: Duplex = await pods.connect({ ...keyOf("answering"), port: 8080 });
      connection.write(`${request} HTTP/1.1\r\nhost: pod\r\nconnection: close\r\n\r\n`);
      return text(connection);
    };
    expect(await ask("GET /healthz?full=1")).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/);
    expect(await ask("POST /jobs/7")).toMatch(
      /^HTTP\/1\.1 202 Accepted\r\ncontent-type: application\/json\r\n[\s\S]*\{"id": 7\}$/,
    );
    expect(await ask("GET /jobs/7")).toMatch(/^HTTP\/1\.1 404 /);
    await expect(pods.connect({ ...keyOf("answering"), port: 81 })).rejects.toMatchObject({
      code: "POD_PORT_CLOSED",
      remedy: expect.stringContaining("`ports` in a script of pods"),
    });
  });
});

describe("a script of pods that is wrong", () => {
  const wrong: Readonly<Record<string, readonly [script: string, finding: RegExp]>> = {
    "no YAML": ["pods: [", /pods\.yaml:1:\d+: this is not YAML/],
    empty: ["", /pods\.yaml:1:1: the file is empty, but must be an object with fields \(Write pods: /],
    "no pods": ["{}", /pods\.yaml:1:1: a script of pods says nothing \(Write pods, /],
    "an unknown key": [
      "pods:\n  - match: { name: a }\n    readyAfte: 10s",
      /pods\.yaml:3:5: pods\[0\] has no option "readyAfte".*Did you mean "readyAfter"\?/,
    ],
    "an unknown key of a match": [
      "pods:\n  - match: { names: a }",
      /pods\.yaml:2:14: pods\[0\]\.match has no option "names".*Did you mean "name"\?/,
    ],
    "no duration": [
      "pods:\n  - endAfter: soon",
      /pods\.yaml:2:5: pods\[0\]\.endAfter is "soon", but must be a duration/,
    ],
    "a label that is no text": [
      "pods:\n  - match:\n      labels:\n        canary: true",
      /pods\.yaml:4:9: pods\[0\]\.match\.labels\.canary is true, .*labels are texts/,
    ],
    "an eviction at no time": [
      "pods:\n  - evict: { pods: 1 }",
      /pods\.yaml:2:5: pods\[0\]\.evict\.after is missing \(Write how long/,
    ],
    "a port that leads nowhere": [
      "pods:\n  - ports:\n      - port: 80",
      /pods\.yaml:3:9: a port says that nothing listens on port 80/,
    ],
    "a header that is none": [
      "pods:\n  - ports:\n      - port: 80\n        http:\n          - headers: { 'a b': c }",
      /pods\.yaml:5:24: HTTP has no such header: .*a b/,
    ],
    "a node that is lost at no time": [
      "node: { backAfter: 1m }",
      /pods\.yaml:1:1: node\.lostAfter is missing \(Write when it is lost/,
    ],
    "a key twice": ["pods: []\npods: []", /pods\.yaml:2:1: "pods" is written a second time/],
  };

  it.each(Object.entries(wrong))("says where and what, for instance: %s", (_, [written, finding]) => {
    let error: unknown;
    try {
      readPodScript(written, "pods.yaml");
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: "POD_SCRIPT_INVALID", message: expect.stringMatching(finding) });
  });

  it("is not the guide's", () => {
    const guide = readFileSync(
      new URL("../../../../docs/guides/embedded-cluster.md", import.meta.url),
      "utf8",
    );
    const [, written = ""] = /```yaml\n(# pods\.yaml\n[\s\S]*?)```/.exec(guide) ?? [];
    expect(readPodScript(written, "pods.yaml").pods).toHaveLength(6);
  });

  it("is reported as a whole", () => {
    const written = "pods:\n  - times: 0\n  - exit: { code: 256 }\n    neverReady: maybe";
    expect(() => readPodScript(written, "pods.yaml")).toThrow(
      /pods\.yaml:2:5: [\s\S]*pods\.yaml:4:5: [\s\S]*pods\.yaml:3:13: /,
    );
  });
});
