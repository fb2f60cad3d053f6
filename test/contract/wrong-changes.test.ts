// A wrong value, an odd one or none in each field of stored objects of the built-in types and of their subresources: both API servers
// refuse it in the same words, or store the same. WRONG_VALUES and WRONG_VALUES_REPORT as in wrong-values.test.ts.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import type { Body, RawAnswer, RawClient } from "./api-server/raw-request.ts";
import {
  expectAlike,
  startBothServers,
  type AskedOfBoth,
  type BothServers,
} from "./wrong-values/both-servers.ts";
import { changeRequest, type ChangeWay } from "./wrong-values/changes.ts";
import { rightObjects } from "./wrong-values/right-objects.ts";
import { storedObjects } from "./wrong-values/stored-objects.ts";
import { postedKinds, writtenParts } from "./wrong-values/subresources.ts";
import { sweptType, type SweptType } from "./wrong-values/type-schemas.ts";
import { oddValuesIn, withValue, type OddValue, type OddValueOptions } from "./wrong-values/wrong-values.ts";

const equal = ["leases"];
const wanted = process.env["WRONG_VALUES"];
const all = Object.keys(rightObjects);
const plurals = wanted === "all" ? all : (wanted?.split(",") ?? equal);
const skipped = new Set(["apiVersion", "kind", "metadata", "status"]);
/** How many values of a field are sent as a part of an object, too. */
const fewValues = 1;

describeOnRealApiServer("wrong changes are answered as by the embedded API server", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await startBothServers();
  });
  afterAll(() => servers.stop());

  it.each(
    plurals.flatMap((plural) => storedObjects(plural).map((content, index) => ({ plural, index, content }))),
  )(
    "of stored $plural ($index)",
    async ({ plural, index, content }) => {
      const type = sweptType(plural);
      await whileStored(type, content, async (stored) => {
        const requests = changesOf(type, stored, { skipped, changes: true }).map((each) => ({
          ...each,
          asked: { ...each.asked, index },
        }));
        expect(requests.length).toBeGreaterThan(3);
        await expectAlike(servers, requests);
      });
    },
    3_600_000,
  );

  it.each(writtenParts.filter(({ plural }) => plurals.includes(plural)))(
    "of $below $subresource of stored $plural",
    async ({ plural, subresource, only, below = "" }) => {
      const type = sweptType(plural);
      for (const content of storedObjects(plural)) {
        await whileStored(type, content, (stored) => {
          const requests = changesOf(type, stored, { only, changes: true }, { subresource, below });
          return expectAlike(servers, requests);
        });
      }
    },
    3_600_000,
  );

  it.each(postedKinds.filter(({ plural }) => plurals.includes(plural)))(
    "in $subresource of $plural",
    async ({ plural, subresource, method, schema, right }) => {
      const type = sweptType(plural);
      const [content = {}] = storedObjects(plural);
      await whileStored(type, content, async () => {
        const requests = [...oddValuesIn(schema, { skipped: new Set(["apiVersion", "kind"]) })].map(
          (odd) => ({
            asked: { plural, subresource, at: odd.path, value: odd.value },
            send: (client: RawClient) =>
              client.send(method, `${type.path}/one/${subresource}?dryRun=All`, withValue(right, odd)),
          }),
        );
        await expectAlike(servers, requests);
      });
    },
    3_600_000,
  );

  /** Stores an object in both servers for a while; what is asked meanwhile changes nothing. */
  async function whileStored(
    type: SweptType,
    content: Body,
    ask: (stored: StoredObject) => Promise<void>,
  ): Promise<void> {
    const { name } = content["metadata"] as { readonly name: string };
    const path = `${type.path}/${name}`;
    const created = await Promise.all(
      servers.clients.map((client) => client.send("POST", type.path, content)),
    );
    expect(created.map(({ status, text }) => (status === 201 ? status : text))).toEqual([201, 201]);
    try {
      const bodies = await Promise.all(servers.clients.map((client) => settled(client, path)));
      await ask({ path, bodies });
    } finally {
      for (const client of servers.clients) await removed(client, path);
    }
  }
});

/** An object as each server has stored it. */
interface StoredObject {
  readonly path: string;
  readonly bodies: readonly Body[];
}

/** The requests that change the fields of a stored object, or of a part of it. */
function changesOf(
  type: SweptType,
  { path, bodies }: StoredObject,
  options: OddValueOptions,
  { subresource, below = "" }: { readonly subresource?: string; readonly below?: string } = {},
): AskedOfBoth[] {
  const at = subresource === undefined ? path : `${path}/${subresource}`;
  const asked = (way: ChangeWay, odd: OddValue): AskedOfBoth => ({
    asked: { plural: type.plural, subresource, way, at: odd.path, value: odd.value },
    async send(client, index) {
      const { method, query, body, options: raw } = changeRequest(way, type, bodies[index] ?? {}, odd);
      const answer = await client.send(method, at + query, body, raw);
      if (answer.body["reason"] !== "Conflict") return answer;
      // Whoever tells the state of some kinds writes meanwhile.
      const again = changeRequest(way, type, (await client.send("GET", path)).body, odd);
      return client.send(again.method, at + again.query, again.body, again.options);
    },
  });
  const seen = new Map<string, number>();
  return [...oddValuesIn(type.schema, options)]
    .filter((odd) => odd.path.startsWith(below))
    .flatMap((odd) => {
      const number = seen.get(odd.path) ?? 0;
      seen.set(odd.path, number + 1);
      const isFew = number < fewValues || odd.value === undefined || odd.value === "other";
      // Of what is not said in it, an apply says nothing.
      const parts: readonly ChangeWay[] = odd.value === undefined ? ["merge"] : ["merge", "apply"];
      return [asked("put", odd), ...(isFew ? parts : []).map((way) => asked(way, odd))];
    });
}

/** An object that nobody tells the state of any more. */
async function settled(client: RawClient, path: string): Promise<Body> {
  const read = async (): Promise<RawAnswer> => client.send("GET", path);
  const { body } = await read();
  // The real server tells by and by whether the level of requests exists.
  if (body["kind"] === "FlowSchema") return { ...body, status: {} };
  if (body["kind"] !== "CustomResourceDefinition") return body;
  return eventually(async () => {
    const { body: definition, text } = await read();
    expect(text).toMatch(/"type":"Established","status":"True"/);
    return definition;
  });
}

/** Deletes an object, whatever holds it. */
async function removed(client: RawClient, path: string): Promise<void> {
  await client.send("DELETE", `${path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  const { status, body } = await client.send("GET", path);
  if (status === 404) return;
  const merge = { contentType: "application/merge-patch+json" };
  const metadata = { finalizers: null };
  if (body["kind"] === "Namespace") {
    await client.send("PUT", `${path}/finalize`, { ...body, spec: { finalizers: [] } });
  }
  await client.send("PATCH", path, { metadata }, merge);
}
