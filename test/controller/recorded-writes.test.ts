import { beforeEach, describe, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { noteWrites } from "../../src/controller/run/run-recording.ts";
import { ConfigMap, Secret } from "../../src/kinds/builtin/core.ts";
import type { AnyObject, KubeObject } from "../../src/meta/object.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import type { RecordedWrite } from "../../src/recording/run-recorder.ts";

const key = { namespace: "default", name: "one" };
const object = (kind: string, data: object): AnyObject => ({
  apiVersion: "v1",
  kind,
  metadata: { ...key, uid: "u", resourceVersion: "1", creationTimestamp: "" },
  data,
});

describe("what is noted of a write", () => {
  let writes: Omit<RecordedWrite, "at">[];
  let written: KubeObject[];
  let answer: () => Promise<unknown>;
  let cached: KubeObject | undefined;
  let client: KubeClient;

  beforeEach(() => {
    [writes, written, cached] = [[], [], undefined];
    const send = (): Promise<never> => answer() as Promise<never>;
    client = noteWrites({
      client: {
        server: "",
        get: send,
        list: send,
        watch: () => ({ [Symbol.asyncIterator]: () => ({ next: send }) }),
        follow: send,
        create: send,
        update: send,
        patch: send,
        apply: send,
        delete: send,
        request: send,
        exec: send,
        close: send,
      },
      clock: systemClock,
      cached: () => cached,
      onWrite: ({ at: _at, ...write }) => writes.push(write),
      onWritten: (_, each) => written.push(each),
    });
  });

  it("are the fields that it changed, and never their values", async () => {
    cached = object("Secret", { password: "b2xk", user: "YQ==" });
    const next = object("Secret", { password: "bmV3", user: "YQ==" });
    answer = () => Promise.resolve(next);
    expect(await client.apply(Secret, next, { fieldManager: "me" })).toBe(next);
    expect(writes).toEqual([
      { verb: "apply", type: "v1 Secret", key: "default/one", paths: ["data.password"] },
    ]);
    expect(written).toEqual([next]);
  });

  it("are the fields that were sent, where nothing is known of the object", async () => {
    const next = object("ConfigMap", { size: "1" });
    answer = () => Promise.resolve(next);
    await client.patch(ConfigMap, key, { type: "merge", body: { data: { size: "1" } } });
    await client.patch(ConfigMap, key, {
      type: "json",
      body: [
        { op: "test", path: "/metadata/uid", value: "u" },
        { op: "remove", path: "/data/color" },
      ],
    });
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", generateName: "one-" },
    } as never);
    expect(writes.map(({ verb, key, paths }) => [verb, key, paths])).toEqual([
      ["patch", "default/one", ["data.size"]],
      ["patch", "default/one", ["data.color"]],
      ["create", "default/one-*", ["apiVersion", "kind", "metadata.generateName", "metadata.namespace"]],
    ]);
  });

  it("is why it was refused; the caller is told as before", async () => {
    const refused = new Error("no room");
    answer = () => Promise.reject(refused);
    await expect(client.update(ConfigMap, object("ConfigMap", {}))).rejects.toBe(refused);
    await expect(client.delete(ConfigMap, key)).rejects.toBe(refused);
    await expect(client.request({ method: "POST", path: "/x" })).rejects.toBe(refused);
    expect(writes.map(({ verb, key, error }) => [verb, key, error])).toEqual([
      ["update", "default/one", "no room"],
      ["delete", "default/one", "no room"],
      ["request", "/x", "no room"],
    ]);
    expect(written).toEqual([]);
  });

  it("is nothing of reads, and what is not stored is not taken for the object", async () => {
    const next = object("ConfigMap", {});
    answer = () => Promise.resolve(next);
    await client.get(ConfigMap, key);
    await client.request({ method: "GET", path: "/version" });
    expect(writes).toEqual([]);
    await client.update(ConfigMap, next, { dryRun: true });
    await client.patch(ConfigMap, key, { type: "merge", body: {} }, { subresource: "scale" });
    expect(writes.map(({ verb, subresource }) => [verb, subresource])).toEqual([
      ["update", undefined],
      ["patch", "scale"],
    ]);
    expect(written).toEqual([]);
  });
});
