// What there is right after the start of an API server: initial-objects.jsonl holds what kube-apiserver 1.36.1 makes, an object a line,
// without what differs from start to start. What the embedded one leaves out is in the guide's table, with the reason. And what of it
// nobody may delete, or comes back.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { initialObjects } from "./api-server/initial-objects.ts";
import { createRawClient, metadataOf, type RawClient } from "./api-server/raw-request.ts";

const recorded = readFileSync(new URL("api-server/initial-objects.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const guide = readFileSync(new URL("../../docs/guides/embedded-cluster.md", import.meta.url), "utf8");
const [, table = ""] = /### What is not there at the start\n([^]*?)\n#/.exec(guide) ?? [];
/** kube-apiserver makes none for itself at a loopback address, which is where it stands here. */
const endpoints = /^(v1 endpoints|discovery\.k8s\.io\/v1 endpointslices) default\/kubernetes /;
/** It warns of the address of its own Service when it looks for lost ones before it has made that. */
const warning = /^(v1|events\.k8s\.io\/v1) events default\/kubernetes\./;
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
        expect(found.filter((line) => !endpoints.test(line) && !warning.test(line))).toEqual(
          recorded.filter((line) => !isLeft(line)),
        );
      });
    });

    it("keeps the namespaces that no cluster can be without", async () => {
      for (const name of ["default", "kube-system", "kube-public"]) {
        for (const query of ["", "?dryRun=All"]) {
          const refused = await client.send("DELETE", `/api/v1/namespaces/${name}${query}`);
          expect(refused.body).toMatchObject({
            code: 403,
            message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
            details: { name, kind: "namespaces" },
          });
        }
      }
      expect((await client.send("DELETE", "/api/v1/namespaces")).status).toBe(405);
      expect((await client.send("DELETE", "/api/v1/namespaces/kube-node-lease?dryRun=All")).status).toBe(200);
      const preconditions = { uid: "another" };
      const other = await client.send("DELETE", "/api/v1/namespaces/default", { preconditions });
      const { uid } = metadataOf((await client.send("GET", "/api/v1/namespaces/default")).body);
      expect(other.body).toMatchObject({
        code: 409,
        message: `Operation cannot be fulfilled on namespaces "default": Precondition failed: UID in precondition: another, UID in object meta: ${String(uid)}`,
      });
    });

    it("makes what it has made itself again", async () => {
      const paths = ["/api/v1/namespaces/default/services/kubernetes"];
      // The real one looks after these once a minute.
      if (server().kind === "embedded") {
        const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
        paths.push(
          "/api/v1/namespaces/kube-node-lease",
          "/api/v1/namespaces/default/endpoints/kubernetes",
          "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
          "/apis/networking.k8s.io/v1/servicecidrs/kubernetes",
          `${flow}/flowschemas/exempt`,
          `${flow}/prioritylevelconfigurations/exempt`,
        );
      }
      for (const path of paths) {
        const { body: before } = await client.send("GET", path);
        expect((await client.send("DELETE", path)).status).toBe(200);
        if (before["kind"] === "Namespace") {
          const { body: ending } = await client.send("GET", path);
          await client.send("PUT", `${path}/finalize`, { ...ending, spec: { finalizers: [] } });
        }
        await eventually(async () => {
          const { status, body } = await client.send("GET", path);
          expect(status).toBe(200);
          expect(metadataOf(body)["uid"]).not.toBe(metadataOf(before)["uid"]);
          expect(body["spec"]).toEqual(before["spec"]);
          expect(metadataOf(body)["labels"]).toEqual(metadataOf(before)["labels"]);
        }, 15_000);
      }
    });
  },
  { embedded: { controllers: false, rbac: true }, real: { controllers: "none" } },
);
