// An operator and the sidecar of its application: what changes in the application is in the status within two seconds, and each
// request has one backup, whatever stops or is cut off meanwhile. SIDECAR_ROUNDS=20 tries more instants.
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { sidecarTask } from "../../src/controller/tasks/sidecar-task.ts";
import {
  defineController,
  defineKind,
  defineOperator,
  setupLifecycle,
  type InstanceOf,
} from "../../src/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { createSidecarClient } from "../../src/remote/sidecar-client.ts";
import { startSidecar, type Sidecar } from "../../src/sidecar/start-sidecar.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const lifecycle = setupLifecycle({
  actions: { keep: ({ event }) => ({ last: (event as { readonly output?: unknown }).output as never }) },
}).createMachine({
  id: "store",
  version: "1",
  initial: "Start",
  context: { last: null },
  states: {
    Start: { on: { "observed.Running": "Running" } },
    Running: { on: { "observed.Down": "Down", "desired.BackingUp": "BackingUp" } },
    Down: { tags: "failure", on: { "observed.Running": "Running" } },
    BackingUp: {
      invoke: {
        id: "backup",
        src: "backUp",
        onDone: { target: "Running", actions: "keep" },
        onError: "Down",
      },
    },
  },
});

const Store = defineKind({
  group: "sidecar.test.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({}),
  lifecycle,
});
type Store = InstanceOf<typeof Store>;

const key = { namespace: "default", name: "orders" };
const rounds = Number(process.env["SIDECAR_ROUNDS"] ?? 0);

describeOnEachApiServer("an operator and a sidecar", (server) => {
  const directory = mkdtempSync(join(tmpdir(), "sidecar-"));
  const backups = join(directory, "backups");
  let state: "Running" | "Down" = "Running";
  let sidecar: Sidecar | undefined;
  let operator: RunningOperator | undefined;
  const sockets = new Set<Socket>();
  let isCut = false;
  // The network between them: it stays where it is while the sidecar comes and goes.
  const network = createServer((socket) => {
    if (isCut || sidecar === undefined) return socket.destroy();
    const onward = connect(Number(new URL(sidecar.url).port), "127.0.0.1");
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => each.destroy());
      each.on("close", () => sockets.delete(each));
    }
    return socket.pipe(onward).pipe(socket);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const startBeside = async (): Promise<void> => {
    sidecar = await startSidecar({
      directory: join(directory, "records"),
      port: 0,
      grace: 100,
      every: 200,
      state: () => ({ state }),
      tasks: {
        backup: async ({ key: id, signal, report }) => {
          report(0.5);
          await delay(150, undefined, { signal });
          appendFileSync(backups, `${id}\n`);
          return { id };
        },
      },
    });
  };
  const stopBeside = async (): Promise<void> => {
    const stopping = sidecar;
    sidecar = undefined;
    cut();
    await stopping?.stop();
  };
  const startOperating = async (): Promise<void> => {
    const url = (): string => `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
    const sidecars = createSidecarClient<Store>({ url, timeout: "1s", env: {} });
    const stores = defineOperator({
      name: "store-operator",
      controllers: [
        defineController(Store, {
          sources: [sidecars],
          application: {
            observe: async (call) => ({
              state: (await sidecars.state(call)).state === "Down" ? "Down" : "Running",
            }),
            tasks: {
              backUp: sidecarTask({
                sidecar: sidecars,
                task: "backup",
                poll: "200ms",
                retry: { attempts: 9, delay: 100 },
              }),
            },
            poll: "1h",
          },
        }),
      ],
    });
    operator = await startOperator(stores, server().kubeconfig, { installCrds: true });
  };
  const store = (): Promise<Store> => server().client.get(Store, key);

  beforeAll(async () => {
    await new Promise<void>((resolve) => network.listen(0, "127.0.0.1", resolve));
    await startBeside();
    await startOperating();
  });
  afterAll(async () => {
    await operator?.stop();
    await stopBeside();
    network.close();
    rmSync(directory, { recursive: true });
  });

  it("has a change in the application in the condition within two seconds, though it polls once an hour", async () => {
    await server().client.create(Store, {
      apiVersion: "sidecar.test.example.com/v1",
      kind: "Store",
      metadata: key,
      spec: {},
    });
    await eventually(async () => expect((await store()).status?.lifecycle?.state).toBe("Running"));
    const seen = new Map<string, PromiseWithResolvers<number>>();
    const whenSeen = (word: string): Promise<number> => {
      seen.set(word, Promise.withResolvers<number>());
      return seen.get(word)!.promise;
    };
    const abort = new AbortController();
    const watching = (async () => {
      for await (const event of server().client.watch(Store, { signal: abort.signal })) {
        if (event.type !== "MODIFIED") continue;
        const reason = findCondition(event.object.status?.conditions, "Lifecycle")?.reason ?? "";
        seen.get(reason)?.resolve(performance.now());
      }
    })().catch(() => undefined);
    // A change that is in the condition shows that the stream stands, and that the watch does.
    for (const [index, word] of (["Down", "Running", "Down", "Running"] as const).entries()) {
      const appearing = whenSeen(word);
      state = word;
      const begun = performance.now();
      const took = (await appearing) - begun;
      if (index > 0) expect(took).toBeLessThan(2_000);
    }
    abort.abort();
    await watching;
  });

  const disturbances: Record<string, () => Promise<void>> = {
    "the operator": async () => {
      await operator?.stop();
      await startOperating();
    },
    "the sidecar": async () => {
      await stopBeside();
      await startBeside();
    },
    "the operator and the sidecar": async () => {
      await Promise.all([operator?.stop(), stopBeside()]);
      await Promise.all([startBeside(), startOperating()]);
    },
    "the network": async () => {
      isCut = true;
      cut();
      await delay(200);
      isCut = false;
    },
  };
  const names = Object.keys(disturbances);
  const cases = Array.from({ length: Math.max(rounds, names.length) }, (_, index) => ({
    name: names[index % names.length] ?? "",
    request: `r${index}`,
    // Spread over the start, the work and the end of a backup.
    after: (index * 73) % 260,
  }));

  it.each(cases)(
    "makes one backup for $request though $name stops after $after ms",
    async ({ name, request, after }) => {
      const before = existsSync(backups) ? readFileSync(backups, "utf8") : "";
      await server().client.patch(Store, key, {
        type: "merge",
        body: { spec: { lifecycle: { desiredState: "BackingUp", request } } },
      });
      await delay(after);
      await disturbances[name]?.();
      const { status } = await eventually(async () => {
        const now = await store();
        expect(now.status?.lifecycle?.target).toMatchObject({ request, reached: true });
        return now;
      });
      const made = readFileSync(backups, "utf8").slice(before.length).trim().split("\n");
      expect(made).toHaveLength(1);
      expect(status?.lifecycle).toMatchObject({ snapshot: { context: { last: { id: made[0] } } } });
    },
  );
});
