import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { isInvalid, isNotFound } from "../../src/client/api-error.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { Job } from "../../src/kinds/builtin/batch.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { findCondition, type Condition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { eventually } from "../support/eventually.ts";
import { codeBlocks, root, writeBlocks } from "./code-blocks.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = codeBlocks("README.md");
const command = join(root, "bin/xstate-operator.js");

interface Described extends KubeObject {
  readonly spec: { readonly [field: string]: unknown };
  readonly status?: {
    readonly readyPods?: number;
    readonly conditions?: readonly Condition[];
    readonly lifecycle?: { readonly state?: string };
  };
}

function typeOf(kind: string, plural: string): ResourceType<Described> {
  return { group: "web.example.com", version: "v1", kind, plural, namespaced: true };
}

/** An operator of the README, run by the command line on an embedded cluster of its own. */
async function run(file: string): Promise<{ client: KubeClient; stop: () => Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [command, "run", file, "--embedded"], {
    stdio: "pipe",
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const kubeconfig = await eventually(() => {
    expect(child.exitCode, said).toBe(null);
    expect(said).toContain('"running"');
    return /export KUBECONFIG=(\S+)/.exec(said)?.[1] ?? expect.fail(said);
  });
  const connection = await loadConnection({ path: kubeconfig, env: {} });
  const client = createKubeClient(connection, { userAgent: "readme", clock: systemClock });
  return {
    client,
    stop: async () => {
      await client.close();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      expect((await ended)[0], said).toBe(0);
    },
  };
}

describe("the README", () => {
  const { folder, remove } = writeBlocks(blocks);
  afterAll(remove);

  it("has a whole operator in under 60 lines", () => {
    const website = blocks.find(({ file }) => file === "website.ts");
    expect(website?.text.split("\n").length).toBeLessThan(60);
    expect(website?.text).toContain("export default defineOperator");
  });

  it("lists the commands that there are", () => {
    const { stdout } = spawnSync(process.execPath, [command, "--help"], { encoding: "utf8" });
    const commands = [...(stdout.split("Commands:")[1]?.matchAll(/^ {2}([a-z]+)(?: |$)/gm) ?? [])].map(
      ([, name]) => name,
    );
    const section = readme.split("## Command line")[1]?.split("\n## ")[0] ?? "";
    const told = [...section.matchAll(/^\| `([a-z]+)/gm)].map(([, name]) => name);
    expect(commands).toContain("run");
    expect(new Set(told)).toEqual(new Set(commands));
  });

  describe("its first operator, run as it says", () => {
    const Website = typeOf("Website", "websites");
    const key = { namespace: "default", name: "blog" };
    let operator: Awaited<ReturnType<typeof run>>;
    beforeAll(async () => {
      operator = await run(join(folder, "website.ts"));
    });
    afterAll(() => operator.stop());

    it("makes what the Website declares, and says so", async () => {
      const { client } = operator;
      await client.create(Website, {
        apiVersion: "web.example.com/v1",
        kind: "Website",
        metadata: { ...key },
        spec: { replicas: 2 },
      });
      await eventually(async () => {
        const { status } = await client.get(Website, key);
        expect(status?.readyPods).toBe(2);
        expect(findCondition(status?.conditions, "ReconciliationSuccess")?.status).toBe("True");
      });
      expect((await client.get(ConfigMap, key)).data).toEqual({ "index.html": "Hello" });
    });

    it("puts right what it owns", async () => {
      const { client } = operator;
      await client.patch(Deployment, key, { type: "merge", body: { spec: { replicas: 0 } } });
      await eventually(async () => expect((await client.get(Deployment, key)).spec.replicas).toBe(2));
    });

    it("leaves nothing behind", async () => {
      const { client } = operator;
      await client.delete(Website, key);
      await eventually(async () => {
        await expect(client.get(ConfigMap, key)).rejects.toSatisfy(isNotFound);
        await expect(client.get(Deployment, key)).rejects.toSatisfy(isNotFound);
      });
    });
  });

  describe("its lifecycle, run as it says", () => {
    const Shop = typeOf("Shop", "shops");
    const key = { namespace: "default", name: "corner" };
    let operator: Awaited<ReturnType<typeof run>>;
    beforeAll(async () => {
      operator = await run(join(folder, "shop.ts"));
    });
    afterAll(() => operator.stop());
    const target = (desiredState: string) =>
      operator.client.patch(Shop, key, { type: "merge", body: { spec: { lifecycle: { desiredState } } } });
    const condition = async () =>
      findCondition((await operator.client.get(Shop, key)).status?.conditions, "Lifecycle");

    it("opens by itself", async () => {
      await operator.client.create(Shop, {
        apiVersion: "web.example.com/v1",
        kind: "Shop",
        metadata: { ...key },
        spec: {},
      });
      await eventually(async () =>
        expect(await condition()).toMatchObject({ status: "True", reason: "Open" }),
      );
    });

    it("takes stock once when that is desired, by one Job", async () => {
      await target("StockTaking");
      await eventually(async () =>
        expect(await condition()).toMatchObject({
          status: "True",
          reason: "Open",
          message: "StockTaking was done; now Open",
        }),
      );
      expect((await operator.client.list(Job)).items).toHaveLength(1);
    });

    it("has a misspelt target refused by the API server", async () => {
      await expect(target("StockTakin")).rejects.toSatisfy(isInvalid);
    });

    it("ends when the shop is deleted", async () => {
      await operator.client.delete(Shop, key);
      await eventually(() => expect(operator.client.get(Shop, key)).rejects.toSatisfy(isNotFound));
    });
  });
});
