// Two operators without code whose processes are killed again and again: a broker with a maintenance window, and certificates that a
// service issues over HTTP. What each life leaves behind is what it would have been left alone.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isNotFound } from "../../src/client/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { ConfigMap, Secret, secretValue } from "../../src/kinds/index.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { readOperator } from "../../src/operator-file/index.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startCommand, type OperatorProcess } from "../support/operator-process.ts";

/** Milliseconds for a life under kills on a busy machine. */
const patience = 120_000;

/** An operator as a process that is killed, and started again, until nobody wants that any more. */
class KilledOperator {
  readonly kills: { count: number } = { count: 0 };
  readonly #file: string;
  readonly #server: ApiServerUnderTest;
  #running: OperatorProcess | undefined;
  #said = "";
  #isOver = false;
  #killing: Promise<void> | undefined;

  constructor(file: string, server: ApiServerUnderTest) {
    this.#file = file;
    this.#server = server;
  }

  /** Begins; `after`: milliseconds that each process has once it runs, by turns. */
  start(after: readonly number[]): void {
    this.#killing = (async () => {
      for (let turn = 0; !this.#isOver; turn += 1) {
        const process = startCommand(["run", this.#file, "--kubeconfig", this.#server.kubeconfig]);
        this.#running = process;
        await eventually(() => {
          if (!this.#isOver) expect(process.output()).toMatch(/\brunning\b/);
        }, patience);
        const given = after[turn];
        // The last one lives.
        if (given === undefined) return;
        await new Promise((resolve) => setTimeout(resolve, given));
        await process.kill();
        this.kills.count += 1;
        this.#said += process.output();
      }
    })();
    this.#killing.catch(() => undefined);
  }

  output(): string {
    return `${this.#said}${this.#running?.output() ?? ""}`;
  }

  /** Resolves when the last kill is over. */
  async quiet(): Promise<void> {
    await this.#killing;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#killing?.catch(() => undefined);
    await this.#running?.kill();
  }
}

interface Living {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly message: string;
  }[];
  readonly lifecycle?: { readonly state?: string; readonly snapshot?: { readonly context?: object } };
}

/** An operator of a fixture on a server. */
async function installed(
  fixture: string,
  server: ApiServerUnderTest,
): Promise<{ readonly type: ResourceType<AnyObject>; readonly operator: KilledOperator }> {
  const file = `test/fixtures/${fixture}/operator.yaml`;
  const { kind } = readOperator(file).controllers[0]!;
  await server.client.apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "admin" });
  const type = kind as unknown as ResourceType<AnyObject>;
  await eventually(() => server.client.list(type));
  return { type, operator: new KilledOperator(file, server) };
}

describeOnEachApiServer(
  "a broker without code",
  (server) => {
    const key = { namespace: "default", name: "orders" };
    let broker: Awaited<ReturnType<typeof installed>>;
    beforeAll(async () => void (broker = await installed("broker", server())));
    afterAll(() => broker.operator.stop());
    const statusOf = async () =>
      (await server().client.get(broker.type, key))["status"] as Living | undefined;
    const reaches = (state: string, context: object = {}) =>
      eventually(async () => {
        const status = await statusOf();
        expect(status?.lifecycle).toMatchObject({ state, target: { reached: true }, snapshot: { context } });
        return status;
      }, patience);
    const edit = (spec: object) => server().client.patch(broker.type, key, { type: "merge", body: { spec } });
    const names = async (): Promise<string[]> =>
      (await server().client.list(ConfigMap, { namespace: "default" })).items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith("orders-"))
        .toSorted();

    it("is upgraded once for each window, whenever its operator is killed", async () => {
      const { client } = server();
      await client.create(broker.type, {
        apiVersion: "mq.example.org/v1",
        kind: "Broker",
        metadata: key,
        spec: { version: "1.0", mirrors: ["a", "b"] },
      });
      broker.operator.start([700, 2_500]);
      await reaches("Serving", { version: "1.0", schema: "s-1.0", upgrades: 0 });
      const all = ["orders-mirror-a", "orders-mirror-b", "orders-nodes", "orders-schema"];
      await eventually(async () => expect(await names()).toEqual(all));
      await edit({ version: "2.0", window: { open: true } });
      await reaches("Serving", { version: "2.0", schema: "s-2.0", upgrades: 1 });
      await edit({ mirrors: ["b"], window: { open: false } });
      await broker.operator.quiet();
      await edit({ version: "3.0" });
      await edit({ window: { open: true } });
      await reaches("Serving", { version: "3.0", schema: "s-3.0", upgrades: 2 });
      await eventually(async () => {
        expect(await names()).toEqual(["orders-mirror-b", "orders-nodes", "orders-schema"]);
        const { data } = await client.get(ConfigMap, { ...key, name: "orders-nodes" });
        expect(data).toMatchObject({ version: "3.0", state: "Serving", schema: "s-3.0" });
      });
      const { conditions } = (await statusOf())!;
      expect(conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
      await client.delete(broker.type, key);
      await eventually(() => expect(client.get(broker.type, key)).rejects.toSatisfy(isNotFound), patience);
      const { items } = await client.list(KubernetesEvent, { namespace: "default" });
      const notes = items.filter(({ reason }) => reason === "Closed").map(({ note }) => note);
      expect(notes).toEqual(["closed after 2 upgrades"]);
      expect(items.filter(({ reason }) => reason === "MachineFailed")).toEqual([]);
      expect(broker.operator.kills.count).toBe(2);
    }, 400_000);
  },
  { long: true },
);

describeOnEachApiServer(
  "certificates without code",
  (server) => {
    const key = { namespace: "default", name: "web" };
    let certificates: Awaited<ReturnType<typeof installed>>;
    let authority: Server;
    let url = "";
    /** What the authority has issued, by idempotency key. */
    const issued = new Map<string, { readonly serial: string; asked: number }>();
    const revoked: string[] = [];

    beforeAll(async () => {
      authority = createServer((request, response) => {
        void (async () => {
          const { path, body, id } = await read(request);
          const answer = (status: number, said: object): void => {
            response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
          };
          const [, where = "", name = ""] = path.split("/");
          if (where === "state") return answer(200, { revoked: revoked.includes(name) });
          if (where === "revocations") {
            if (!revoked.includes(body.serial ?? "")) revoked.push(body.serial ?? "");
            return answer(200, {});
          }
          if (request.method === "POST") {
            const order = issued.get(id) ?? { serial: `n${issued.size + 1}`, asked: 0 };
            issued.set(id, order);
            return answer(202, { phase: "Running" });
          }
          const order = issued.get(name);
          if (order === undefined) return answer(404, {});
          order.asked += 1;
          const { serial } = order;
          return order.asked < 2
            ? answer(200, { phase: "Running", message: "it is being validated" })
            : answer(200, { phase: "Succeeded", output: { serial, pem: `PEM ${serial}` } });
        })();
      });
      await new Promise<void>((resolve) => authority.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(authority.address() as AddressInfo).port}`;
      certificates = await installed("certificate", server());
    });
    afterAll(async () => {
      await certificates.operator.stop();
      authority.closeAllConnections();
      authority.close();
    });

    it("are renewed when it is time, each once, and revoked at the end, whenever the operator is killed", async () => {
      const { client } = server();
      await client.create(certificates.type, {
        apiVersion: "pki.example.org/v1",
        kind: "Certificate",
        metadata: key,
        spec: { host: "web.example.org", ca: url, renewAfter: "3s" },
      });
      certificates.operator.start([600, 2_000]);
      const context = () =>
        client.get(certificates.type, key).then(({ status }) => (status as Living | undefined)?.lifecycle);
      await eventually(
        async () =>
          expect(await context()).toMatchObject({ state: "Issued", snapshot: { context: { renewals: 2 } } }),
        patience,
      );
      await certificates.operator.quiet();
      // One order and two renewals, though their keys were asked for again.
      expect(issued.size).toBe(3);
      const secret = await eventually(async () => {
        const found = await client.get(Secret, { ...key, name: "web-tls" });
        expect(secretValue(found, "serial")).toBe("n3");
        return found;
      });
      expect(secretValue(secret, "tls.crt")).toBe("PEM n3");
      // The authority has withdrawn it: another one is ordered.
      revoked.push("n3");
      await eventually(
        async () =>
          expect(await context()).toMatchObject({
            state: "Issued",
            snapshot: { context: { renewals: 3, serial: "n4" } },
          }),
        patience,
      );
      await client.delete(certificates.type, key);
      await eventually(
        () => expect(client.get(certificates.type, key)).rejects.toSatisfy(isNotFound),
        patience,
      );
      expect(revoked).toEqual(["n3", "n4"]);
      expect(issued.size).toBe(4);
      expect(certificates.operator.kills.count).toBe(2);
    }, 400_000);
  },
  { long: true },
);

async function read(request: IncomingMessage): Promise<{
  readonly path: string;
  readonly id: string;
  readonly body: { readonly serial?: string };
}> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return {
    path: request.url ?? "",
    id: String(request.headers["idempotency-key"] ?? ""),
    body: (text === "" ? {} : JSON.parse(text)) as { readonly serial?: string },
  };
}
