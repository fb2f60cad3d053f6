// The two API servers that are asked the same: the embedded one first, and the real one.
import { appendFileSync } from "node:fs";
import { expect } from "vitest";
import { startCluster } from "../../../src/cluster/start-cluster.ts";
import { leaseControlPlane } from "../../support/leased-control-plane.ts";
import { createRawClient, type RawAnswer, type RawClient } from "../api-server/raw-request.ts";
import { differenceOf } from "./compared-answers.ts";

/** How many requests are under way at each server. */
const atOnce = 8;
const report = process.env["WRONG_VALUES_REPORT"];

/** Asks both. */
export interface BothServers {
  readonly clients: readonly [embedded: RawClient, real: RawClient];
  stop(): Promise<void>;
}

/** Starts both, without controllers. */
export async function startBothServers(): Promise<BothServers> {
  const [embedded, real] = await Promise.all([
    startCluster({ controllers: false }),
    leaseControlPlane({ controllers: "none" }),
  ]);
  const clients = [createRawClient(embedded), createRawClient(real)] as const;
  // Who gives every namespace an account does not run here, and pods need one.
  const account = { metadata: { name: "default" } };
  for (const client of clients) {
    await client.send("POST", "/api/v1/namespaces/default/serviceaccounts", account);
  }
  return {
    clients,
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all([embedded.stop(), real.stop()]);
    },
  };
}

/** A request that both are asked. */
export interface AskedOfBoth {
  /** What is asked, as it is said where the answers differ. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** Asks one of them; the embedded one is the first, 0. */
  send(client: RawClient, index: number): Promise<RawAnswer>;
}

/** Expects that both answer each request alike. */
export async function expectAlike(
  { clients: [embedded, real] }: BothServers,
  requests: readonly AskedOfBoth[],
): Promise<void> {
  const found: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const difference = differenceOf(
        ...(await Promise.all([request.send(embedded, 0), request.send(real, 1)])),
      );
      if (difference === undefined) continue;
      const said = JSON.stringify({ ...request.asked, ...difference });
      if (report !== undefined) appendFileSync(report, `${said}\n`);
      found.push(said);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (report !== undefined) {
    appendFileSync(report, `${JSON.stringify({ asked: requests.length, otherwise: found.length })}\n`);
  }
  const shown = found.slice(0, 20).join("\n");
  expect(shown, `${found.length} of ${requests.length} are answered otherwise`).toBe("");
}
