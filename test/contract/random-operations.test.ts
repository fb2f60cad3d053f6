// The same random operations, one after the other, on the embedded API server and on the real one: each answers the same, and what
// is stored afterwards, managedFields included, and what the watches have told from the beginning are the same.
// OPERATIONS sets how many operations there are, SEED which ones (a number, several like 1..10 or 3,8, or "random"), KINDS which kinds are
// meant (a list of plurals; by default some that the seed chooses), DIFFERENCES how many are reported (by default 5). A failure names the
// operation, and what was done to its object before.
import { expect, it } from "vitest";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { leaseControlPlane } from "../support/leased-control-plane.ts";
import { differencesBetween, showDifference, type Difference } from "../support/left-behind.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { pick, seededRandom, type RandomNumber } from "../cluster/fuzz/random-json.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";
import { builtInKinds } from "./random-operations/built-in-kinds.ts";
import { customKinds, definitions } from "./random-operations/custom-kinds.ts";
import { keyOf } from "./random-operations/comparable.ts";
import { knownDifference } from "./random-operations/known-differences.ts";
import { namespaces, type Operation } from "./random-operations/operation.ts";
import type { RandomKind } from "./random-operations/random-kind.ts";
import { RandomOperations } from "./random-operations/random-operations.ts";
import { RecordedServer } from "./random-operations/recorded-server.ts";

const count = Number(process.env["OPERATIONS"] ?? "150");
/** How many differences are enough for a report. */
const most = Number(process.env["DIFFERENCES"] ?? "5");

describeOnRealApiServer("random operations leave the same on the embedded API server and", () => {
  it.each(seedsOf(process.env["SEED"] ?? "1"))(
    `after ${count} operations of seed %d`,
    async (seed) => {
      await onBothServers(async (servers) => {
        const { found, taken } = await performAll(servers, seed);
        expect(found.join("\n\n")).toBe("");
        // Operations that are all refused would show nothing.
        expect(taken.yes).toBeGreaterThan(count / 4);
        expect(taken.no).toBeGreaterThan(count / 10);
      });
    },
    3_600_000,
  );
});

/** The seeds that a text names. */
function seedsOf(text: string): readonly number[] {
  if (text === "random") return [Date.now() % 2 ** 32];
  return text.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("..").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Starts both servers with what operations need, and stops them. */
async function onBothServers(act: (servers: readonly RecordedServer[]) => Promise<void>): Promise<void> {
  const both = await Promise.all([
    startCluster({ controllers: false }),
    leaseControlPlane({ controllers: "none" }),
  ]);
  const clients = both.map(({ url, kubeconfig }) => createRawClient({ url, kubeconfig }));
  try {
    await Promise.all(clients.map(prepare));
    await act(clients.map((client) => new RecordedServer(client)));
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(both.map((server) => server.stop()));
  }
}

/** Performs the operations of a seed: what differed, and how many were accepted and refused. */
async function performAll(
  servers: readonly RecordedServer[],
  seed: number,
): Promise<{ readonly found: readonly string[]; readonly taken: Readonly<Record<"yes" | "no", number>> }> {
  const random = seededRandom(seed);
  const kinds = chosenKinds(random);
  const operations = new RandomOperations(random, kinds);
  for (const kind of kinds) await Promise.all(servers.map((server) => server.watch(kind)));
  const found: string[] = [];
  const differing = new Set<string>();
  const before: Operation[] = [];
  const taken = { yes: 0, no: 0 };
  for (let number = 0; number < count && found.length < most; number += 1) {
    const operation = operations.next();
    const { object } = operation;
    if (await isAtRandom(servers, operation)) continue;
    await clearOfTurnOfSecond();
    const [embedded, real] = await Promise.all(servers.map((server) => server.perform(operation)));
    taken[(real?.at(-1)?.status ?? 0) < 300 ? "yes" : "no"] += 1;
    const differences = unknownDifferences(embedded, real);
    if (differences.length > 0) {
      found.push(report(number, operation, differences, before));
      differing.add(operation.kind.plural);
    }
    if (object !== undefined && (differences.length > 0 || (await hasManyOwners(servers, object)))) {
      await Promise.all(servers.map((server) => server.remove(object)));
    }
    before.push(operation);
  }
  for (const kind of kinds) {
    if (differing.has(kind.plural)) continue;
    const [embedded, real] = await Promise.all(
      servers.map(async (server) => ({
        stored: await server.stored(kind),
        watched: await server.watched(kind),
      })),
    );
    const differences = unknownDifferences(embedded, real);
    if (differences.length > 0) found.push([kind.plural, ...differences.map(showDifference)].join("\n"));
  }
  return { found, taken };
}

/** Owners are kept in the order of whole seconds, so that what changes nothing is stored or not: both servers are to note the same one. */
async function clearOfTurnOfSecond(): Promise<void> {
  const left = 1_000 - (Date.now() % 1_000);
  if (left < 60) await new Promise((resolve) => setTimeout(resolve, left));
}

/** Which of more than ten owners are then counted together depends on the second in which each has written. */
async function hasManyOwners(servers: readonly RecordedServer[], object: string): Promise<boolean> {
  const owners = await Promise.all(servers.map((server) => server.owners(object)));
  const counts = owners.map((each) => each.filter(({ operation }) => operation === "Update").length);
  return Math.max(...counts) > 8;
}

/**
 * Of several owners in another version, the real server takes what the endpoint leaves as it is from the one that it looks at first, and that
 * is at random in Go.
 */
async function isAtRandom(
  servers: readonly RecordedServer[],
  { kind, method, path, object, body, changes }: Operation,
): Promise<boolean> {
  if (object === undefined || kind.isCustom !== true || method === "GET") return false;
  const sent = JSON.stringify(changes?.fields ?? body ?? null);
  const isReset = /\/status(?:\?|$)/.test(path)
    ? /["/](?:spec|labels|annotations|finalizers|ownerReferences)\b/.test(sent)
    : /["/]status\b/.test(sent) || (method === "PUT" && changes === undefined);
  if (!isReset) return false;
  const owners = await Promise.all(servers.map((server) => server.owners(object)));
  const counts = owners.map((each) => each.filter(({ apiVersion }) => apiVersion !== kind.apiVersion).length);
  return Math.max(...counts) > 1;
}

/** What both servers need before: the definitions, the namespaces and their accounts. */
async function prepare(client: RawClient): Promise<void> {
  const ask = async (path: string, body: unknown): Promise<void> => {
    const { status, text } = await client.send("POST", path, body);
    if (status !== 201) throw new Error(`${path} answered ${status} ${text}`);
  };
  for (const definition of definitions) {
    await ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
  for (const name of namespaces) {
    await ask("/api/v1/namespaces", { metadata: { name } });
    await ask(`/api/v1/namespaces/${name}/serviceaccounts`, {
      metadata: { name: "default", labels: { app: "kept" } },
      automountServiceAccountToken: false,
    });
  }
  for (const { apiVersion, plural } of customKinds) {
    const deadline = Date.now() + 20_000;
    while ((await client.send("GET", `/apis/${apiVersion}/${plural}`)).status !== 200) {
      if (Date.now() > deadline) throw new Error(`${plural} of ${apiVersion} are not served`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Kinds of each sort of schema; OPERATIONS asks for others, too. */
const usual = "configmaps,secrets,services,deployments,leases,priorityclasses,forms,widgets,gadgets";

/** Few kinds, so that there are many operations for each object. */
function chosenKinds(random: RandomNumber): readonly RandomKind[] {
  const all = [...builtInKinds, ...customKinds];
  const wanted = process.env["KINDS"] ?? (process.env["OPERATIONS"] === undefined ? usual : undefined);
  if (wanted !== undefined) {
    const plurals = wanted.split(",");
    return all.filter(({ plural }) => plurals.includes(plural));
  }
  const kinds = new Set(customKinds.slice(0, 1));
  while (kinds.size < 7) kinds.add(pick(random, all));
  return [...kinds];
}

function unknownDifferences(embedded: unknown, real: unknown): readonly Difference[] {
  const boxed = (value: unknown): Parameters<typeof differencesBetween>[0] =>
    new Map([["", value]]) as Parameters<typeof differencesBetween>[0];
  return differencesBetween(boxed(embedded), boxed(real)).filter(
    (difference) => knownDifference(difference) === undefined,
  );
}

function report(
  number: number,
  operation: Operation,
  differences: readonly Difference[],
  before: readonly Operation[],
): string {
  const { object } = operation;
  const earlier = before.filter(
    (each) => object !== undefined && each.object !== undefined && keyOf(each.object) === keyOf(object),
  );
  return [
    `operation ${number}: ${show(operation)}`,
    ...differences
      .toSorted((one, other) => Number(isSaid(other)) - Number(isSaid(one)))
      .slice(0, 8)
      .map((difference) => `  ${showDifference(difference)}`),
    ...earlier.slice(-8).map((each) => `    before: ${show(each)}`),
  ].join("\n");
}

/** What a server says of an operation tells more than what it shows. */
function isSaid({ path }: Difference): boolean {
  return /(?:^|\.)(?:status|message|causes(?:\.\d+)?)$/.test(path);
}

function show({ method, path, body, changes, contentType }: Operation): string {
  const sent = changes === undefined ? body : changes.fields;
  const type = contentType === undefined ? "" : ` ${contentType.replace(/^application\//, "")}`;
  return `${method} ${path}${type} ${sent === undefined ? "" : JSON.stringify(sent).slice(0, 700)}`;
}
