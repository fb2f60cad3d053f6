// What there is right after the start of an API server: initial-objects.jsonl holds what kube-apiserver 1.36.1 makes, an object a line,
// without what differs from start to start. What the embedded one leaves out is in the guide's table, with the reason.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { initialObjects } from "./api-server/initial-objects.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";

const recorded = readFileSync(new URL("api-server/initial-objects.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const guide = readFileSync(new URL("../../docs/guides/embedded-cluster.md", import.meta.url), "utf8");
const [, table = ""] = /### What is not there at the start\n([^]*?)\n#/.exec(guide) ?? [];
/** kube-apiserver makes none for itself at a loopback address, which is where it stands here. */
const endpoints = /^(v1 endpoints|discovery\.k8s\.io\/v1 endpointslices) default\/kubernetes /;
/** What the guide says is not there. */
const left = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);

describeOnEachApiServer(
  "an API server that was just started",
  (server) => {
    let client: RawClient;
    beforeAll(() => {
      client = createRawClient(server());
    });
    afterAll(() => client.close());

    it("has the objects that kube-apiserver makes, but for what the guide says", async () => {
      const isLeft = (line: string): boolean =>
        server().kind === "embedded" && left.some((name) => line.startsWith(`${name} `));
      expect(left).not.toEqual([]);
      expect(left.filter((name) => !recorded.some((line) => line.startsWith(`${name} `)))).toEqual([]);
      // kube-apiserver makes its own Service when it is already asked.
      await eventually(async () => {
        const found = await initialObjects(client);
        expect(found.filter((line) => !endpoints.test(line))).toEqual(
          recorded.filter((line) => !isLeft(line)),
        );
      });
    });
  },
  { embedded: { controllers: false, rbac: true }, real: { controllers: "none" } },
);
