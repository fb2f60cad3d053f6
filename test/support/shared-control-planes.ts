// Lends real control planes to test files, as vitest's global setup. Each is lent to one file at a time and set back to
// what it was when it was new: as good as a new one, and much sooner there. A lease is a connection: whoever holds it and
// dies has given it back.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";
import { readContents, restoreContents, type Contents } from "./control-plane-contents.ts";
import { startControlPlane, type ControlPlaneOptions, type RunningControlPlane } from "./control-plane.ts";

/** What the holder of a lease may ask for; one after the other. */
export type LeaseRequest =
  | { readonly kind: "lease"; readonly options: ControlPlaneOptions }
  | { readonly kind: "restartApiServer"; readonly signal: "SIGTERM" | "SIGKILL" }
  | { readonly kind: "restartControllers" | "backUp" | "restore" };

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the socket where control planes are lent. */
    controlPlanes: string;
  }
}

interface Shared {
  readonly plane: RunningControlPlane;
  /** What it held when it was new. */
  readonly contents: Contents;
}

class ControlPlanes {
  readonly #free: Shared[] = [];
  readonly #started = new Set<RunningControlPlane>();
  /** Settles when those given back so far are free again, or given up. */
  #restoring: Promise<unknown> = Promise.resolve();

  async lease({
    controllers = "*",
    apiServerFlags = [],
    controllerFlags,
  }: ControlPlaneOptions): Promise<Shared> {
    await this.#restoring;
    const isUsual = apiServerFlags.length === 0;
    const shared = (isUsual ? this.#free.pop() : undefined) ?? (await this.#start(apiServerFlags));
    await shared.plane.startControllers(controllers, controllerFlags);
    return shared;
  }

  giveBack(shared: Shared, { apiServerFlags = [] }: ControlPlaneOptions): void {
    const { plane, contents } = shared;
    const restore = async (): Promise<void> => {
      try {
        await plane.stopControllers();
        if (apiServerFlags.length > 0) throw new Error("nobody else wants it");
        await restoreContents(plane.etcd, contents);
        this.#free.push(shared);
      } catch {
        await this.#stop(plane);
      }
    };
    this.#restoring = Promise.all([this.#restoring, restore()]);
  }

  async stop(): Promise<void> {
    await this.#restoring;
    await Promise.all([...this.#started].map((plane) => this.#stop(plane)));
  }

  async #start(apiServerFlags: readonly string[]): Promise<Shared> {
    const plane = await startControlPlane({ apiServerFlags, controllers: "none" });
    this.#started.add(plane);
    return { plane, contents: await readContents(plane.etcd) };
  }

  async #stop(plane: RunningControlPlane): Promise<void> {
    this.#started.delete(plane);
    await plane.stop();
  }
}

/** Serves one holder until it hangs up. */
async function serve(planes: ControlPlanes, socket: Socket): Promise<void> {
  let held: { readonly shared: Shared; readonly options: ControlPlaneOptions } | undefined;
  const answer = async (request: LeaseRequest): Promise<unknown> => {
    if (request.kind === "lease") {
      if (held !== undefined) throw new Error("this connection has its control plane");
      const { options } = request;
      held = { shared: await planes.lease(options), options };
      return held.shared.plane.access;
    }
    if (held === undefined) throw new Error("nothing is leased yet");
    const { plane } = held.shared;
    if (request.kind === "restartApiServer") {
      await plane.restartApiServer(request.signal);
    } else if (request.kind !== "restartControllers") {
      await plane[request.kind]();
    } else {
      await plane.stopControllers();
      await plane.startControllers(held.options.controllers ?? "*", held.options.controllerFlags);
    }
    return {};
  };
  const lines = createInterface({ input: socket });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => lines.close());
  for await (const line of lines) {
    const told = await answer(JSON.parse(line) as LeaseRequest).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    if (!socket.destroyed) socket.write(`${JSON.stringify(told)}\n`);
  }
  if (held !== undefined) planes.giveBack(held.shared, held.options);
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const planes = new ControlPlanes();
  const serving = new Set<Promise<void>>();
  const folder = mkdtempSync(join(tmpdir(), "xstate-operator-planes-"));
  const path = join(folder, "socket");
  const server = createServer((socket) => {
    const served = serve(planes, socket).finally(() => serving.delete(served));
    serving.add(served);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  project.provide("controlPlanes", path);
  return async () => {
    server.close();
    await Promise.all(serving);
    await planes.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
