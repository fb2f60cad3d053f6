// Observers and tasks of a file that call the application where it runs: a service over HTTP, and commands in a container.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExecOptions } from "../../src/client/kube-client.ts";
import type { ControllerDefinition } from "../../src/controller/declaration/define-controller.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";

let server: Server;
let port = 0;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(
      `${request.method ?? ""} ${request.url ?? ""} ${String(request.headers["idempotency-key"] ?? "")}`,
    );
    const answers: Record<string, readonly [number, unknown]> = {
      "/health": [200, { connections: 3 }],
      "/broken": [500, { reason: "disk" }],
      "/dump": [202, { id: 7 }],
      "/dump/7": [200, { done: 2, of: 4 }],
    };
    const [status, body] = answers[request.url ?? ""] ?? [404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function controllerOf(): ControllerDefinition {
  const { operator, problems } = readOperatorText(
    `
operator: calls
kinds:
  - group: calls.example.com
    version: v1
    kind: Call
    spec: { properties: { port: { type: integer } } }
    lifecycle:
      initial: New
      states:
        New: { on: { observed.Up: Up } }
        Up: { tags: stable, on: { observed.Down: New, desired.Dumped: Dumping } }
        Dumping: { invoke: { src: dump, onDone: Cleaning, onError: HumanIntervention } }
        Cleaning: { invoke: { src: clean, onDone: Dumped, onError: HumanIntervention } }
        Dumped: { tags: stable, on: { desired.Up: Up } }
    observe:
      read:
        health: { http: { url: "http://127.0.0.1:\${ spec.port }/health" } }
        broken: { http: { url: "http://127.0.0.1:\${ spec.port }/broken" } }
        nobody: { http: { url: "http://127.0.0.1:1/", timeout: 1s } }
        ping: { exec: { pod: "\${ metadata.name }-0", container: main, command: [redis-cli, ping] } }
        missing: { exec: { pod: missing, command: [true-command] } }
      states:
        - { state: Up, when: "\${ health.status == 200 && ping.stdout == 'PONG' }" }
        - { state: Down }
      facts:
        connections: "\${ health.body.connections }"
        broken: "\${ broken.status }"
        why: "\${ broken.body.reason }"
        unreachable: "\${ has(nobody.error) }"
        missing: "\${ missing.error }"
    tasks:
      dump:
        http:
          start: { url: "http://127.0.0.1:\${ spec.port }/dump", body: { of: "\${ metadata.name }" } }
          status: { url: "http://127.0.0.1:\${ spec.port }/dump/\${ handle.id }" }
          read:
            phase: "\${ answer.body.done == answer.body.of ? 'Succeeded' : 'Running' }"
            progress: { done: "\${ answer.body.done }", total: "\${ answer.body.of }" }
      clean:
        exec:
          pod: "\${ metadata.name }-0"
          start: [rm, "/dump/\${ key }"]
          status: [ls, /dump]
          read: { phase: "\${ answer.stdout.contains(key) ? 'Running' : 'Succeeded' }" }
`,
    "calls.yaml",
  );
  expect(problems).toEqual([]);
  const [controller] = operator?.controllers ?? [];
  if (controller === undefined) throw new Error("no controller");
  return controller;
}

/** What the functions of the file are given, as far as they use it. */
function given(more: object = {}): never {
  const { signal } = new AbortController();
  const exec = (key: { readonly name: string }, { command }: ExecOptions): Promise<object> => {
    if (key.name === "missing") return Promise.reject(new Error('pods "missing" not found'));
    const stdout = command[0] === "redis-cli" ? "PONG\n" : command[0] === "ls" ? "other\n" : "";
    return Promise.resolve({ exitCode: 0, stdout: Buffer.from(stdout), stderr: Buffer.alloc(0) });
  };
  return {
    cr: {
      apiVersion: "calls.example.com/v1",
      kind: "Call",
      metadata: { name: "one", namespace: "default" },
      spec: { port },
    },
    signal,
    client: { exec },
    key: "one-dump-1",
    attempt: 1,
    started: true,
    context: {},
    ...more,
  } as never;
}

describe("a file that calls the application", () => {
  it("observes by what services answer and commands print, and by what they do not", async () => {
    const seen = await controllerOf().options.application?.observe(given());
    expect(seen).toEqual({
      state: "Up",
      facts: {
        connections: 3,
        broken: 500,
        why: "disk",
        unreachable: true,
        missing: 'pods "missing" not found',
      },
    });
  });

  it("lets a service work, once for a key, and reads how far it is", async () => {
    const dump = controllerOf().options.application?.tasks?.["dump"];
    const handle = await dump?.start(given());
    expect(handle).toEqual({ id: 7 });
    expect(await dump?.observe?.(given({ handle }))).toEqual({
      phase: "Running",
      progress: { done: 2, total: 4 },
    });
    expect(asked).toContain("POST /dump one-dump-1");
  });

  it("lets commands work in a container, and says which rights that needs", async () => {
    const { options } = controllerOf();
    const clean = options.application?.tasks?.["clean"];
    await clean?.start(given());
    expect(await clean?.observe?.(given())).toEqual({ phase: "Succeeded" });
    expect(options.permissions).toMatchObject([{ subresource: "exec", verbs: ["get", "create"] }]);
    expect(clean?.permissions).toMatchObject([{ subresource: "exec", verbs: ["get", "create"] }]);
  });
});
