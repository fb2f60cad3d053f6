// The same random operations, one after the other, on the embedded API server and on the real one: each answers the same, and what
// is stored afterwards, managedFields included, and what the watches have told from the beginning are the same.
// OPERATIONS sets how many operations there are, SEED which ones (or "random"), KINDS which kinds are meant (a list of plurals; by
// default some that the seed chooses), DIFFERENCES how many are reported (by default 5). A failure names the operation, and what was done to its object before.
import { afterAll, beforeAll, expect, it } from "vitest";
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
import type { RandomKind } from "./random-operations/random-kind.ts";
import { namespaces, RandomOperations, type Operation } from "./random-operations/random-operation.ts";
import { RecordedServer } from "./random-operations/recorded-server.ts";

const count = Number(process.env["OPERATIONS"] ?? "150");
const chosen = process.env["SEED"] ?? "1";
const seed = chosen === "random" ? Date.now() % 2 ** 32 : Number(chosen);
/** How many differences are enough for a report. */
const most = Number(process.env["DIFFERENCES"] ?? "5");

describeOnRealApiServer("random operations leave the same on the embedded API server and", () => {
  const clients: RawClient[] = [];
  const servers: RecordedServer[] = [];
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const [cluster, plane] = await Promise.all([
      startCluster({ controllers: false }),
      leaseControlPlane({ controllers: "none" }),
    ]);
    stops.push(
      () => cluster.stop(),
      () => plane.stop(),
    );
    for (const { url, kubeconfig } of [cluster, plane]) clients.push(createRawClient({ url, kubeconfig }));
    await Promise.all(clients.map(prepare));
    servers.push(...clients.map((client) => new RecordedServer(client)));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(stops.map((stop) => stop()));
  });

  /** Which of more than ten owners are then counted together depends on the second in which each has written. */
  async function hasManyOwners(object: string): Promise<boolean> {
    const counts = await Promise.all(servers.map((server) => server.countUpdaters(object)));
    return Math.max(...counts) > 8;
  }

  it(`after ${count} operations of seed ${seed}`, async () => {
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
      const [embedded, real] = await Promise.all(servers.map((server) => server.perform(operation)));
      taken[(real?.at(-1)?.status ?? 0) < 300 ? "yes" : "no"] += 1;
      const differences = unknownDifferences(embedded, real);
      if (differences.length > 0) {
        found.push(report(number, operation, differences, before));
        differing.add(operation.kind.plural);
        const object = operation.object;
        if (object !== undefined) await Promise.all(servers.map((server) => server.remove(object)));
      } else if (operation.object !== undefined && (await hasManyOwners(operation.object))) {
        const { object } = operation;
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
    expect(found.join("\n\n")).toBe("");
    // Operations that are all refused would show nothing.
    expect(taken.yes).toBeGreaterThan(count / 4);
    expect(taken.no).toBeGreaterThan(count / 10);
  }, 3_600_000);
});

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
    ...differences.slice(0, 8).map((difference) => `  ${showDifference(difference)}`),
    ...earlier.slice(-8).map((each) => `    before: ${show(each)}`),
  ].join("\n");
}

function show({ method, path, body, changes, contentType }: Operation): string {
  const sent = changes === undefined ? body : changes.fields;
  const type = contentType === undefined ? "" : ` ${contentType.replace(/^application\//, "")}`;
  return `${method} ${path}${type} ${sent === undefined ? "" : JSON.stringify(sent).slice(0, 700)}`;
}
