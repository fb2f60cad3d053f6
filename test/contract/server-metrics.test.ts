// What an API server says of its objects and watches at /metrics: the same figures under the same names on both servers.
import { expect, it } from "vitest";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

describeOnEachApiServer("the metrics of the server", (server) => {
  /** A figure by its name and its labels; undefined where there is none. */
  const figure = async (name: string, labels: Readonly<Record<string, string>>) => {
    const text = String(await server().client.request({ method: "GET", path: "/metrics" }));
    const isMeant = (line: string) =>
      line.startsWith(`${name}{`) &&
      Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`));
    const found = text.split("\n").find(isMeant)?.split(" ").at(-1);
    return found === undefined ? undefined : Number(found);
  };

  it("count the watches of a type", async () => {
    const labels = { resource: "configmaps", scope: "namespace", verb: "WATCH" };
    const before = (await figure("apiserver_longrunning_requests", labels)) ?? 0;
    const watch = new AbortController();
    const opened = Promise.withResolvers<void>();
    const options = { signal: watch.signal, namespace: "default", onOpen: () => opened.resolve() };
    const watching = server()
      .client.follow(ConfigMap, options, () => undefined)
      .catch(() => undefined);
    await opened.promise;
    expect(await figure("apiserver_longrunning_requests", labels)).toBe(before + 1);
    watch.abort();
    await watching;
    await eventually(async () =>
      expect((await figure("apiserver_longrunning_requests", labels)) ?? 0).toBe(before),
    );
  });

  it("have the objects of a type, and their size", async () => {
    const labels = { group: "", resource: "configmaps" };
    for (const name of ["apiserver_resource_objects", "apiserver_resource_size_estimate_bytes"]) {
      // A real server looks but once a minute, and says -1 until it has.
      expect(await figure(name, labels)).toBeGreaterThanOrEqual(server().kind === "real" ? -1 : 0);
    }
    if (server().kind === "real") return;
    const [objects, bytes] = [
      (await figure("apiserver_resource_objects", labels)) ?? 0,
      (await figure("apiserver_resource_size_estimate_bytes", labels)) ?? 0,
    ];
    await server().client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "large", namespace: "default" },
      data: { text: "x".repeat(10_000) },
    });
    expect(await figure("apiserver_resource_objects", labels)).toBe(objects + 1);
    const more = ((await figure("apiserver_resource_size_estimate_bytes", labels)) ?? 0) - bytes;
    expect(more).toBeGreaterThan(10_000);
    expect(more).toBeLessThan(11_000);
  });
});
