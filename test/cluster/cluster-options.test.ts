// Options of startCluster that no compiler has seen: refused before anything is started.
import { describe, expect, it } from "vitest";
import type { ClusterOptions } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";

describe("the options of an embedded cluster", () => {
  it.each<[string, object, RegExp]>([
    ["a misspelt one", { podPaths: ["bin"] }, /no option "podPaths".*Did you mean "podPath"\?/],
    ["a port in quotes", { port: "8080" }, /port is "8080", but must be a whole number from 0 to 65535/],
    [
      "another mode of pods",
      { pods: "docker" },
      /pods is "docker", but must be simulated, process, or a runtime/,
    ],
    ["pods that cannot run", { pods: {} }, /pods is an object, but must be simulated, process, or a runtime/],
    ["a delay that is a text", { podStartDelay: "1s" }, /podStartDelay is "1s"/],
    ["a user without a name", { users: { secret: {} } }, /users\.secret\.name is missing/],
    ["groups that are no list", { users: { a: { name: "a", groups: "b" } } }, /users\.a\.groups is "b"/],
  ])("are refused: %s", async (_, options, message) => {
    await expect(startCluster(options as ClusterOptions)).rejects.toMatchObject({
      code: "CLUSTER_OPTIONS_INVALID",
      message: expect.stringMatching(message) as string,
    });
  });
});
