// A wrong value, or an odd one, in each field of new objects of the built-in types: both API servers refuse it in the same words, or store the same.
// WRONG_VALUES chooses the types, by plural, or `all`; by default those without a field that is answered otherwise.
// WRONG_VALUES_REPORT names a file to which each difference is written, a line of JSON each.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import type { RawClient } from "./api-server/raw-request.ts";
import { expectAlike, startBothServers, type BothServers } from "./wrong-values/both-servers.ts";
import { rightObjects } from "./wrong-values/right-objects.ts";
import { sweptType } from "./wrong-values/type-schemas.ts";
import { oddValuesIn, withValue } from "./wrong-values/wrong-values.ts";

const equal = (
  "clusterrolebindings controllerrevisions endpoints ipaddresses leases namespaces prioritylevelconfigurations rolebindings roles " +
  "servicecidrs volumeattachments volumeattributesclasses"
).split(" ");
const wanted = process.env["WRONG_VALUES"];
const plurals = wanted === "all" ? Object.keys(rightObjects) : (wanted?.split(",") ?? equal);

/** What is not looked at when an object is created, and what has rules that all types share. */
const skipped = new Set(["apiVersion", "kind", "metadata", "status"]);

describeOnRealApiServer("wrong values are answered as by the embedded API server", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await startBothServers();
  });
  afterAll(() => servers.stop());

  it.each(plurals)(
    "in %s",
    async (plural) => {
      const { path, schema } = sweptType(plural);
      const right = { metadata: { name: "one" }, ...rightObjects[plural] };
      const requests = [...oddValuesIn(schema, { skipped })].map((odd) => {
        const body = withValue(right, odd);
        return {
          asked: { plural, at: odd.path, value: odd.value },
          send: (client: RawClient) => client.send("POST", `${path}?dryRun=All`, body),
        };
      });
      expect(requests.length).toBeGreaterThan(3);
      await expectAlike(servers, requests);
    },
    3_600_000,
  );
});
