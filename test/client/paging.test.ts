import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import type { KubeClient, ListOptions, ObjectList } from "../../src/client/kube-client.ts";
import { listAll } from "../../src/client/paging.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";

const type: ResourceType = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
const expired = () =>
  new ApiError("expired", {
    status: 410,
    reason: "Expired",
    details: {},
    retryAfter: undefined,
    request: "GET /pods",
  });

/** A client whose list is a function of the options. */
function listing(list: (options: ListOptions) => { names: string[]; next?: string }) {
  const asked: ListOptions[] = [];
  const client = {
    list(_: ResourceType, options: ListOptions = {}): Promise<ObjectList<KubeObject>> {
      asked.push(options);
      const { names, next } = list(options);
      return Promise.resolve({
        metadata: { resourceVersion: "5", ...(next === undefined ? {} : { continue: next }) },
        items: names.map((name) => ({ metadata: { name } }) as KubeObject),
      });
    },
  };
  return { client: client as unknown as KubeClient, asked };
}

const namesOf = (list: ObjectList<KubeObject>) => list.items.map((item) => item.metadata.name);

describe("paging", () => {
  it("follows the continue tokens, 500 objects at a time", async () => {
    const { client, asked } = listing((options) =>
      options.continue === undefined ? { names: ["a", "b"], next: "t" } : { names: ["c"] },
    );
    const list = await listAll(client, type, { namespace: "x" });
    expect(namesOf(list)).toEqual(["a", "b", "c"]);
    expect(list.metadata).toEqual({ resourceVersion: "5" });
    expect(asked).toEqual([
      { namespace: "x", limit: 500 },
      { namespace: "x", limit: 500, continue: "t" },
    ]);
  });

  it("begins anew when the token has expired, and forgets what it had", async () => {
    let failures = 1;
    const { client, asked } = listing((options) => {
      if (options.continue === undefined) return { names: failures > 0 ? ["stale"] : ["a"], next: "t" };
      failures -= 1;
      if (failures >= 0) throw expired();
      return { names: ["b"] };
    });
    expect(namesOf(await listAll(client, type))).toEqual(["a", "b"]);
    expect(asked).toHaveLength(4);
  });

  it("asks for everything in one piece when tokens expire again and again", async () => {
    const { client, asked } = listing((options) => {
      if (options.continue !== undefined) throw expired();
      return options.limit === undefined ? { names: ["a", "b"] } : { names: ["a"], next: "t" };
    });
    expect(namesOf(await listAll(client, type))).toEqual(["a", "b"]);
    expect(asked.length).toBeLessThan(12);
  });

  it("passes on any other failure", async () => {
    const { client } = listing(() => {
      throw new Error("down");
    });
    await expect(listAll(client, type)).rejects.toThrow("down");
  });
});
