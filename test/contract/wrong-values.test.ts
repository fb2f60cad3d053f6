// A wrong value, or an odd one, in each field of the built-in types: both API servers refuse it in the same words, or store the same.
// WRONG_VALUES chooses the types, by plural, or `all`; by default those without a field that is answered otherwise.
// WRONG_VALUES_REPORT names a file to which each difference is written, a line of JSON each.
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtinSchema } from "../../src/cluster/api/builtin/builtin-schemas.ts";
import { createBuiltinTypes } from "../../src/cluster/api/builtin/builtin-types.ts";
import { ObjectStore } from "../../src/cluster/api/storage/object-store.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";
import { leaseControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";
import { roots } from "./api-server/wrong-object-cases.ts";
import { differenceOf } from "./wrong-values/compared-answers.ts";
import { rightObjects } from "./wrong-values/right-objects.ts";
import { oddObjects, type OddObject } from "./wrong-values/wrong-values.ts";

const equal = (
  "clusterrolebindings controllerrevisions endpoints ipaddresses leases namespaces prioritylevelconfigurations rolebindings roles " +
  "servicecidrs volumeattachments volumeattributesclasses"
).split(" ");
const wanted = process.env["WRONG_VALUES"];
const plurals = wanted === "all" ? Object.keys(rightObjects) : (wanted?.split(",") ?? equal);
const report = process.env["WRONG_VALUES_REPORT"];
/** How many requests are under way at each server. */
const atOnce = 8;

const schemas = new Map<string, StructuralSchema>([
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    builtinSchema("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"),
  ],
  ...createBuiltinTypes(new ObjectStore()).map((type): [string, StructuralSchema] => {
    const root = type.group === "" ? "/api" : "/apis";
    const space = type.namespaced ? "/namespaces/default" : "";
    return [`${root}/${apiVersionOf(type)}${space}/${type.plural}`, type.schema];
  }),
]);

/** What is not looked at when an object is created, and what has rules that all types share. */
const skipped = new Set(["apiVersion", "kind", "metadata", "status"]);

describeOnRealApiServer("wrong values are answered as by the embedded API server", () => {
  let stop: (() => Promise<void>) | undefined;
  let clients: readonly RawClient[] = [];
  beforeAll(async () => {
    const both = await Promise.all([
      startCluster({ controllers: false }),
      leaseControlPlane({ controllers: "none" }),
    ]);
    const started = both.map(({ url, kubeconfig }) => createRawClient({ url, kubeconfig }));
    stop = async () => {
      await Promise.all(started.map((client) => client.close()));
      await Promise.all(both.map((server) => server.stop()));
    };
    // Who gives every namespace an account does not run here, and pods need one.
    const account = { metadata: { name: "default" } };
    for (const client of started) {
      await client.send("POST", "/api/v1/namespaces/default/serviceaccounts", account);
    }
    clients = started;
  });
  afterAll(() => stop?.());

  it.each(plurals)(
    "in %s",
    async (plural) => {
      const path = `${roots[plural] ?? ""}${plural}`;
      const right = { metadata: { name: "one" }, ...rightObjects[plural] };
      const requests = [...oddObjects(schemas.get(path) ?? {}, right, skipped)];
      expect(requests.length).toBeGreaterThan(3);
      const found: string[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
          const said = await compare(clients, plural, path, request);
          if (said !== undefined) found.push(said);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      const shown = found.slice(0, 20).join("\n");
      expect(shown, `${found.length} of ${requests.length} are answered otherwise`).toBe("");
    },
    3_600_000,
  );
});

/** Sends an object to both servers: in what they differ. */
async function compare(
  clients: readonly RawClient[],
  plural: string,
  path: string,
  { path: at, value, body }: OddObject,
): Promise<string | undefined> {
  const answers = await Promise.all(clients.map((client) => client.send("POST", `${path}?dryRun=All`, body)));
  const [embedded, real] = answers;
  if (embedded === undefined || real === undefined) throw new Error("two servers answer");
  const difference = differenceOf(embedded, real);
  if (difference === undefined) return undefined;
  const said = JSON.stringify({ plural, at, value, ...difference });
  if (report !== undefined) appendFileSync(report, `${said}\n`);
  return said;
}
