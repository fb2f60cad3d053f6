// No value of any Secret, whichever way the operator has come by it, is in anything that a process tells: its log, status, conditions,
// Kubernetes Events, the dashboard, the inspector, a recording and its replay.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { Namespace, Secret } from "../../src/kinds/builtin/core.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { encodeSecretValue } from "../../src/kinds/builtin/secret-value.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { newFolder } from "../recording/recording-files.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const module = join(import.meta.dirname, "../fixtures/gossip/gossip-operator.ts");
const typeOf = (kind: string, plural: string): ResourceType<AnyObject> => ({
  group: "rumours.example.com",
  version: "v1",
  kind,
  plural,
  namespaced: true,
});
const [Safe, Gossip] = [typeOf("Safe", "safes"), typeOf("Gossip", "gossips")];

/** One for each way in which the operator reads or writes one; others on each server, as its module outlives the first one. */
const valuesOn = (server: string) => ({
  "looked-up": `looked-up/7f3a correct horse ${server}`,
  listed: `-----BEGIN KEY-----\nMIIE"listed"/+9b1c${server}\n-----END KEY-----\n`,
  mapped: `mapped-c0ffee-battery-${server}`,
  got: `got=d1e5&staple-${server}`,
  watched: `watched-5ca1ab1e-${server}`,
  "by-path": `by-path-0ddba11-${server}`,
  generated: `generated-deadbea7-${server}`,
  refused: `refused-generated-deadbea7-${server}`,
  foreign: `foreign-f005ba11-${server}`,
});
type Values = ReturnType<typeof valuesOn>;

/** All that a stream of server-sent events has said so far. */
async function follow(address: URL, signal: AbortSignal, heard: (text: string) => void): Promise<void> {
  const { body } = await fetch(address, { signal });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) heard(decoder.decode(chunk as Uint8Array, { stream: true }));
  } catch {
    // It was ended.
  }
}

describeOnEachApiServer(
  "a process that reads Secrets",
  (server) => {
    const folder = newFolder();
    const file = folder.path("recording.ndjson");
    const stop = new AbortController();
    const outputs = {
      log: "",
      board: "",
      detail: "",
      inspection: "",
      status: "",
      conditions: "",
      events: "",
      replay: "",
    };
    let client: KubeClient;
    let values: Values;
    let ended: Promise<CommandOutcome>;

    const create = (type: ResourceType, namespace: string, name: string, rest: object): Promise<unknown> =>
      client.create(type, {
        apiVersion: type.group === "" ? "v1" : `${type.group}/v1`,
        kind: type.kind,
        metadata: { namespace, name },
        ...rest,
      });
    const address = (what: string): Promise<URL> =>
      eventually(() => new URL(new RegExp(`^${what}: (\\S+)`, "m").exec(outputs.log)?.[1] ?? ""));

    beforeAll(async () => {
      client = server().client;
      values = valuesOn(server().kind);
      await client.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "elsewhere" },
      });
      const { generated, refused: _, ...planted } = values;
      for (const [name, value] of Object.entries(planted)) {
        const namespace = ["got", "watched", "by-path"].includes(name) ? "elsewhere" : "default";
        const data =
          name === "listed" ? { stringData: { value } } : { data: { value: encodeSecretValue(value) } };
        await create(Secret, namespace, name, data);
      }
      const options = [
        "--install-crds",
        "--log-level",
        "debug",
        "--dashboard",
        "--inspect",
        "--record",
        file,
      ];
      ended = runCommand(
        ["run", module, "--kubeconfig", server().kubeconfig, ...options],
        {},
        {
          signal: stop.signal,
          onErr: (text) => (outputs.log += text),
        },
      );
      const dashboard = await address("dashboard");
      const inspector = await address("inspector");
      const socket = new WebSocket(inspector.href.replace("http", "ws").replace("/?", "/inspect?"));
      socket.on("message", (message: Buffer) => (outputs.inspection += message.toString()));
      await eventually(() => expect(outputs.log).toContain('"msg":"running"'));
      const query = `${dashboard.search}&kind=Gossip&namespace=default&name=one`;
      void follow(new URL(`api/board${query}`, dashboard), stop.signal, (text) => (outputs.board += text));
      await create(Safe, "default", "one", { spec: { generated } });
      // What is there at the start is mapped to nothing: every custom resource is reconciled then.
      const changed = { type: "merge", body: { metadata: { labels: { changed: "true" } } } } as const;
      for (const [namespace, name] of [
        ["elsewhere", "watched"],
        ["default", "mapped"],
      ] as const) {
        await client.patch(Secret, { namespace, name }, changed);
      }
      await eventually(() => expect(outputs.log).toContain("mapTo failed"));
      await eventually(async () =>
        expect(JSON.stringify(await client.get(Safe, { namespace: "default", name: "one" }))).toContain(
          '"True"',
        ),
      );
      void follow(
        new URL(`api/resource${query}`, dashboard),
        stop.signal,
        (text) => (outputs.detail += text),
      );
      const rumour = `${values.foreign} ${encodeSecretValue(values.got)} ${JSON.stringify(values.listed)}`;
      await create(Gossip, "default", "one", { spec: { rumour, lifecycle: { desiredState: "Telling" } } });
      await eventually(async () => {
        const { status } = (await client.get(Gossip, { namespace: "default", name: "one" })) as {
          readonly status?: { readonly conditions?: readonly object[]; readonly lifecycle?: object };
        };
        outputs.conditions = JSON.stringify(status?.conditions);
        outputs.status = JSON.stringify(status?.lifecycle);
        expect(outputs.conditions).toContain("said ");
        outputs.events = JSON.stringify((await client.list(KubernetesEvent)).items);
        expect(outputs.events).toContain("said ");
        expect(outputs.detail).toContain("said ");
        expect(outputs.board).toContain("said ");
      });
      stop.abort();
      await ended;
      socket.terminate();
      outputs.replay = (await runCommand(["replay", file, module])).out;
    });
    afterAll(async () => {
      stop.abort();
      await ended;
      folder.remove();
    });

    it.each([
      ["log", /heard \[redacted\]/],
      ["status", /"cause":"[^"]*told \[redacted\]/],
      ["conditions", /"said \[redacted\]/],
      ["events", /told \[redacted\]/],
      ["board", /"said \[redacted\]/],
      ["detail", /rumour: .*redacted/],
      ["inspection", /Exhausted/],
      ["replay", /said \[redacted\]/],
    ] as const)("tells none of their values in its %s", (what, told) => {
      expect(outputs[what]).toMatch(told);
      expect(leaksIn(outputs[what], values)).toEqual([]);
    });

    it("finds its own status as it has left it", () => {
      expect(outputs.conditions).not.toContain("LifecycleProblem");
    });

    it("keeps none of their values in its recording", () => {
      const recording = readFileSync(file, "utf8");
      expect(recording).toContain("said [redacted]");
      expect(recording).toContain('"key":"default/owned"');
      expect(leaksIn(recording, values)).toEqual([]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);

/** The values that a text has, in whatever form. */
function leaksIn(text: string, values: Values): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inJson = JSON.stringify(value).slice(1, -1);
    const forms = [value, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(value)];
    return [...forms, encodeSecretValue(value)].some((form) => text.includes(form)) ? [name] : [];
  });
}
