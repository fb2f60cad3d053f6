import { describe, expect, it } from "vitest";
import { StatefulSet } from "../../src/kinds/builtin/apps.ts";
import { Secret } from "../../src/kinds/builtin/core.ts";
import { ClusterRole } from "../../src/kinds/builtin/rbac.ts";
import type { ManifestOf, OwnerReference } from "../../src/meta/object.ts";
import { intentHashAnnotation } from "../../src/reconcile/comparison/intent-hash.ts";
import { fromManifest, kubernetesResource } from "../../src/reconcile/resources/kubernetes-resource.ts";
import type { Registrable } from "../../src/reconcile/resources/resource.ts";
import { stepper, type StepperHooks } from "../../src/reconcile/engines/engine.ts";
import { fromTemplate } from "../../src/reconcile/resources/template.ts";
import {
  ConfigMap,
  configMap,
  Deployment,
  deployment,
  deploymentKey,
  namespace,
  Service,
  service,
  serviceKey,
} from "./support/children.ts";
import { Harness, type Cache } from "./support/harness.ts";
import { refusal } from "./support/memory-client.ts";

type Fields = Record<string, unknown>;
type Children = (cr: Cache) => readonly Registrable<Cache>[];

/** A harness whose children can be exchanged, as by a new version of the operator. */
class Declaring extends Harness {
  children: Children;

  constructor(children: Children) {
    const steps: StepperHooks<Cache> = {
      ObjectsGetter: ({ cr, registry }) => registry.add(...this.children(cr)),
    };
    super({ steps });
    this.children = children;
  }

  /** Runs once; returns the writes to children. */
  async childWrites(): Promise<string[]> {
    return (await this.writesOf()).filter((write) => !write.includes("Cache/"));
  }
}

const key = { namespace, name: "a" };
const one = (data?: Record<string, string>): Declaring => new Declaring(() => [configMap("a", data)]);
const metadataOf = (object: Fields): Fields => object["metadata"] as Fields;

describe("kubernetes resource", () => {
  it("is created once, with hash and owner reference, and then left alone", async () => {
    const harness = one();
    expect(await harness.childWrites()).toEqual(["create ConfigMap/a"]);
    const { metadata } = harness.client.peek(ConfigMap, key)!;
    expect(metadata.annotations?.[intentHashAnnotation]).toMatch(/^[0-9a-f]{40}\.update@cache-operator$/);
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: "cache.example.com/v1",
        kind: "Cache",
        name: "basket",
        uid: harness.cr.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(await harness.writesOf()).toEqual([]);
    expect(await harness.writesOf()).toEqual([]);
  }); // OKT 53

  it("is not written because the server added defaults, rewrote quantities or left out what is empty (T33)", async () => {
    const harness = new Declaring((cr) => [deployment(cr), service()]);
    expect(await harness.childWrites()).toEqual(["apply Deployment/basket", "apply Service/basket"]);
    const live = harness.client.peek(Deployment, deploymentKey)!;
    expect(live.spec.template.spec.containers[0]).toMatchObject({
      imagePullPolicy: "IfNotPresent",
      resources: { limits: { cpu: "1" } },
    });
    expect(live.spec.template.spec.containers[0]).not.toHaveProperty("stdin");
    expect(harness.client.peek(Service, serviceKey)?.spec.clusterIP).toBe("10.0.0.1");
    for (let cycle = 0; cycle < 3; cycle += 1) expect(await harness.childWrites()).toEqual([]);
    harness.restart();
    expect(await harness.childWrites()).toEqual([]);
  }); // OKT 54

  it("is written exactly once when the custom resource changes", async () => {
    const harness = new Declaring((cr) => [deployment(cr)]);
    await harness.run();
    harness.setSpec({ size: 3 });
    expect(await harness.childWrites()).toEqual(["apply Deployment/basket"]);
    expect(harness.client.peek(Deployment, deploymentKey)?.spec.replicas).toBe(3);
    expect(await harness.childWrites()).toEqual([]);
    expect(harness.events.map(({ message }) => message)).toEqual([
      "Created Deployment/basket",
      "Updated Deployment/basket: what is declared has changed",
    ]);
  }); // OKT 55

  it("is restored in one write when someone changes a declared field, and says which", async () => {
    const harness = new Declaring((cr) => [deployment(cr)]);
    await harness.run();
    harness.client.edit(Deployment, deploymentKey, (object) => {
      const spec = object["spec"] as { replicas: number; template: { spec: { containers: Fields[] } } };
      spec.replicas = 9;
      spec.template.spec.containers[0]!["image"] = "evil:1";
    });
    expect(await harness.childWrites()).toEqual(["apply Deployment/basket"]);
    const { spec } = harness.client.peek(Deployment, deploymentKey)!;
    expect(spec.replicas).toBe(1);
    expect(spec.template.spec.containers[0]?.image).toBe("memcached:1");
    expect(await harness.childWrites()).toEqual([]);
    expect(harness.events.at(-1)?.message).toBe(
      "Updated Deployment/basket: drifted at spec.template.spec.containers[cache].image, spec.replicas",
    );
  }); // OKT 56

  it("removes a key that is no longer declared, and keeps one that someone else added", async () => {
    const harness = new Declaring((cr) => [configMap("a", cr.spec.values ?? {})]);
    harness.setSpec({ values: { kept: "1", dropped: "2" } });
    await harness.run();
    harness.client.edit(ConfigMap, key, (object) => {
      object["data"] = { ...(object["data"] as Fields), foreign: "3" };
      metadataOf(object)["labels"] = { team: "blue" };
    });
    expect(await harness.childWrites()).toEqual([]);
    harness.setSpec({ values: { kept: "1" } });
    expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    const live = harness.client.peek(ConfigMap, key)!;
    expect(live.data).toEqual({ kept: "1", foreign: "3" });
    expect(live.metadata.labels).toEqual({ team: "blue" });
    expect(await harness.childWrites()).toEqual([]);
  }); // OKT 57

  it("rolls out what a new version of the operator renders differently, in one write", async () => {
    const harness = new Declaring((cr) => [deployment(cr, "memcached:1")]);
    await harness.run();
    harness.children = (cr) => [deployment(cr, "memcached:2")];
    harness.restart();
    expect(await harness.childWrites()).toEqual(["apply Deployment/basket"]);
    expect(harness.client.peek(Deployment, deploymentKey)?.spec.template.spec.containers[0]?.image).toBe(
      "memcached:2",
    );
    expect(await harness.childWrites()).toEqual([]);
  }); // OKT 58

  it("restores its annotation in one write", async () => {
    const harness = one();
    await harness.run();
    harness.client.edit(ConfigMap, key, (object) => delete metadataOf(object)["annotations"]);
    expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    expect(harness.client.peek(ConfigMap, key)?.metadata.annotations).toHaveProperty(intentHashAnnotation);
    expect(await harness.childWrites()).toEqual([]);
  }); // OKT 59

  it("restores its owner reference in one write, next to those of others", async () => {
    const harness = one();
    await harness.run();
    const other: OwnerReference = { apiVersion: "v1", kind: "Node", name: "n", uid: "other" };
    harness.client.edit(ConfigMap, key, (object) => (metadataOf(object)["ownerReferences"] = [other]));
    expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    const uids = harness.client.peek(ConfigMap, key)?.metadata.ownerReferences?.map(({ uid }) => uid);
    expect(uids?.sort()).toEqual(["other", harness.cr.metadata.uid].sort());
    expect(await harness.childWrites()).toEqual([]);
  }); // OKT 60

  it("recovers from a failed write in the next cycle", async () => {
    const harness = one();
    harness.client.fail({ verb: "create", object: "ConfigMap/a", error: new Error("quota exceeded") });
    const outcome = await harness.run();
    expect(outcome.path.slice(-2)).toEqual(["ErrorManager", "End"]);
    expect(outcome.operations.find(({ code }) => code === "WriteFailed")).toMatchObject({
      resource: "ConfigMap/a",
    });
    expect(harness.condition).toMatchObject({ status: "False", message: "ConfigMap/a: quota exceeded" });
    expect(await harness.childWrites()).toEqual(["create ConfigMap/a"]);
    expect(harness.condition?.status).toBe("True");
  }); // OKT 63

  it("ignores the order in which the parts render maps and keyed lists (T32)", async () => {
    let flip = false;
    const inOrder = <T>(...values: T[]): T[] => (flip ? values.reverse() : values);
    const render = (): ManifestOf<Deployment> => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...deploymentKey, labels: Object.fromEntries(inOrder(["a", "1"], ["b", "2"])) },
      spec: {
        selector: {},
        template: {
          spec: {
            containers: inOrder(
              { name: "x", image: "x", env: inOrder({ name: "A", value: "1" }, { name: "B", value: "2" }) },
              { name: "y", image: "y" },
            ),
            volumes: inOrder({ name: "v", emptyDir: {} }, { name: "w", emptyDir: {} }),
          },
        },
      },
    });
    const harness = new Declaring(() => [render()]);
    await harness.run();
    flip = true;
    expect(await harness.childWrites()).toEqual([]);
  });

  it("keeps the order of variables that refer to each other, and of init containers", async () => {
    let flip = false;
    const inOrder = <T>(...values: T[]): T[] => (flip ? values.reverse() : values);
    const render = (): ManifestOf<Deployment> => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: deploymentKey,
      spec: {
        selector: {},
        template: {
          spec: {
            initContainers: inOrder({ name: "first", image: "i" }, { name: "second", image: "i" }),
            containers: [],
          },
        },
      },
    });
    const harness = new Declaring(() => [render()]);
    await harness.run();
    flip = true;
    expect(await harness.childWrites()).toEqual(["apply Deployment/basket"]);
  });

  it("does not fight a webhook that has the last word, but still sees a drift", async () => {
    const harness = one({ level: "3" });
    harness.client.webhook = (object) => {
      const data = object["data"] as Fields | undefined;
      if (data?.["level"] === "3") data["level"] = "2";
    };
    expect(await harness.childWrites()).toEqual(["create ConfigMap/a"]);
    expect(await harness.childWrites()).toEqual([]);
    harness.client.edit(ConfigMap, key, (object) => (object["data"] = { level: "9" }));
    expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    expect(await harness.childWrites()).toEqual([]);
    harness.restart();
    expect(await harness.childWrites()).toEqual([]);
    expect(harness.events.filter(({ reason }) => reason === "Updated")).toHaveLength(1);
    harness.restart();
    harness.client.edit(ConfigMap, key, (object) => (object["data"] = { level: "9" }));
    expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
  });

  it("waits for an object that is being deleted, and creates it again when it is gone", async () => {
    const harness = one();
    await harness.run();
    harness.client.edit(ConfigMap, key, (object) => {
      metadataOf(object)["finalizers"] = ["other/hold"];
      metadataOf(object)["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ requeueAfter: 5_000, error: undefined });
    expect(harness.condition).toMatchObject({
      status: "Unknown",
      message: expect.stringContaining("ConfigMap/a"),
    });
    harness.client.drop(ConfigMap, key);
    expect(await harness.childWrites()).toEqual(["create ConfigMap/a"]);
    expect(harness.condition?.status).toBe("True");
  });

  describe("owner", () => {
    const controller = (uid: string, kind: string, name: string, apiVersion = "v1"): Fields => ({
      ...configMap("a"),
      metadata: {
        ...key,
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
    });
    /** A child of an earlier resource of the same name, in whatever version that was. */
    const leftBehind = (): Declaring => {
      const harness = one();
      const child = controller("earlier", "Cache", "basket", "cache.example.com/v1beta1");
      harness.client.put(ConfigMap, child as never);
      return harness;
    };
    /** Reconciles as often as is asked for, for as long as that takes. */
    const waitFor = async (harness: Harness, seconds: number): Promise<void> => {
      for (const end = harness.clock.now() + seconds * 1_000; ;) {
        const { requeueAfter = Infinity } = await harness.run();
        if (harness.clock.now() + requeueAfter > end) return;
        await harness.clock.advance(requeueAfter);
      }
    };

    it("is refused when another one controls the object: gives up, no write", async () => {
      const harness = one();
      harness.client.put(ConfigMap, controller("other", "Shop", "corner") as never);
      const outcome = await harness.run();
      expect(outcome.error?.message).toContain('is controlled by Shop "corner"');
      expect(harness.client.childWrites("Cache")).toEqual([]);
      expect(harness.condition?.reason).toBe("ErrorAndGiveup");
    }); // OKT 52

    it("waits while an earlier resource of the same name still controls the object", async () => {
      const harness = leftBehind();
      const outcome = await harness.run();
      expect(outcome).toMatchObject({ kind: "waiting", requeueAfter: 5_000 });
      await waitFor(harness, 14.9);
      expect(harness.client.childWrites("Cache")).toEqual([]);
      harness.client.drop(ConfigMap, key);
      expect(await harness.childWrites()).toEqual(["create ConfigMap/a"]);
    });

    it("collects what an earlier resource left behind when the garbage collector does not", async () => {
      const harness = leftBehind();
      await waitFor(harness, 20);
      expect(harness.client.childWrites("Cache")).toEqual(["delete ConfigMap/a", "create ConfigMap/a"]);
      expect(harness.client.peek(ConfigMap, key)?.metadata.ownerReferences?.[0]?.uid).toBe(
        harness.cr.metadata.uid,
      );
      expect(harness.condition?.status).toBe("True");
      expect(harness.events.map(({ message }) => message)).toContain(
        'Deleted ConfigMap/a: an earlier Cache "basket" left it behind',
      );
    });

    it("leaves the child of a resource alone that the API server knows and the cache does not yet", async () => {
      const harness = leftBehind();
      const old = { ...harness.cr, metadata: { ...harness.cr.metadata, uid: "older" } };
      for (let round = 0; round < 6; round += 1) {
        expect(await harness.run({ cr: old })).toMatchObject({ kind: "waiting" });
        await harness.clock.advance(5_000);
      }
      expect(harness.client.childWrites("Cache")).toEqual([]);
    });

    it.each([
      ["somebody has changed it since it was seen", refusal(409, "Conflict")],
      ["it is gone", refusal(404, "NotFound")],
    ])("does no harm when %s", async (_what, error) => {
      const harness = leftBehind();
      await waitFor(harness, 14.9);
      harness.client.fail({ verb: "delete", object: "ConfigMap/a", error });
      await harness.clock.advance(5_000);
      expect((await harness.run()).kind).toBe("waiting");
      expect(harness.client.childWrites("Cache")).toEqual(["delete ConfigMap/a"]);
    });

    it("says so when it may not delete what was left behind", async () => {
      const harness = leftBehind();
      harness.client.fail({
        verb: "delete",
        object: "ConfigMap/a",
        error: refusal(403, "Forbidden"),
        times: 9,
      });
      await waitFor(harness, 30);
      expect(harness.condition).toMatchObject({
        status: "Unknown",
        message: expect.stringContaining("it was not garbage collected, and this operator may not delete it"),
      });
    });

    it("does not take the child of another kind of the same name for its own", async () => {
      const harness = one();
      harness.client.put(ConfigMap, controller("other", "Cache", "basket", "web.example.com/v1") as never);
      expect((await harness.run()).error?.message).toContain("is controlled by");
    });

    it("is refused for an object that somebody else has made: gives up, no write", async () => {
      const harness = one();
      harness.client.put(ConfigMap, configMap("a", { size: "old", theirs: "1" }));
      const outcome = await harness.run();
      expect(outcome.error).toMatchObject({ code: "RESOURCE_NOT_OURS" });
      expect(harness.client.childWrites("Cache")).toEqual([]);
      expect(harness.condition).toMatchObject({
        reason: "ErrorAndGiveup",
        message: expect.stringContaining("ConfigMap/a exists already and was not made by this operator"),
      });
    });

    it("takes an object over that nobody controls, if it is to be adopted", async () => {
      const harness = new Declaring(() => [fromManifest(configMap("a"), { adopt: true })]);
      harness.client.put(ConfigMap, configMap("a", { size: "old", theirs: "1" }));
      expect(await harness.childWrites()).toEqual(["apply ConfigMap/a"]);
      expect(harness.client.peek(ConfigMap, key)?.data).toEqual({ size: "1", theirs: "1" });
      expect(await harness.childWrites()).toEqual([]);
    });

    it("is never set on what another one controls, adopted or not", async () => {
      const harness = new Declaring(() => [fromManifest(configMap("a"), { adopt: true })]);
      harness.client.put(ConfigMap, controller("other", "Shop", "corner") as never);
      expect((await harness.run()).error).toMatchObject({ code: "OWNED_BY_ANOTHER" });
      expect(harness.client.childWrites("Cache")).toEqual([]);
    });

    it("takes a child back that was orphaned with an earlier resource", async () => {
      const harness = one();
      await harness.run();
      harness.client.edit(ConfigMap, key, (object) => delete metadataOf(object)["ownerReferences"]);
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    });

    it.each([
      ["in another namespace", { ...configMap("a"), metadata: { name: "a", namespace: "elsewhere" } }],
      [
        "that is cluster-scoped",
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "a" } },
      ],
    ])("is refused for an object %s", async (_name, manifest) => {
      const harness = new Declaring(() => [manifest]);
      const outcome = await harness.run();
      expect(outcome.error?.message).toContain("the garbage collector would delete it");
      expect(harness.client.childWrites("Cache")).toEqual([]);
    });

    it("can be left out", async () => {
      const manifest = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "a" },
      };
      const harness = new Declaring(() => [fromManifest(manifest, { ownerReference: false })]);
      expect(await harness.childWrites()).toEqual(["create ClusterRole/a"]);
      expect(harness.client.peek(ClusterRole, { name: "a" })?.metadata.ownerReferences).toBeUndefined();
      expect(await harness.childWrites()).toEqual([]);
    });
  });

  describe("identity", () => {
    it.each([
      ["name", (object: Fields) => (metadataOf(object)["name"] = "b")],
      ["namespace", (object: Fields) => (metadataOf(object)["namespace"] = "b")],
      ["kind", (object: Fields) => (object["kind"] = "Secret")],
      ["apiVersion", (object: Fields) => (object["apiVersion"] = "v2")],
    ])("gives up without a write when a part changes the %s", async (field, change) => {
      const renamed = kubernetesResource<ConfigMap, Cache>({
        type: ConfigMap,
        key,
        mutateWithCR: (object) => void change(object),
      });
      const harness = new Declaring(() => [renamed]);
      const outcome = await harness.run();
      expect(outcome.error?.message).toContain(`changed its ${field}`);
      expect(harness.client.childWrites("Cache")).toEqual([]);
    }); // OKT 50, 51
  });

  describe("hashed fields", () => {
    interface Scope {
      readonly fields: (object: ManifestOf<ConfigMap>) => unknown;
    }
    const labelled = (
      { fields }: Scope,
      rendered: () => {
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
        data?: Record<string, string>;
      },
    ): Declaring =>
      new Declaring(() => [
        kubernetesResource<ConfigMap, Cache>({
          type: ConfigMap,
          key,
          hashedFields: fields,
          mutateWithInitialData: (object) => {
            const { labels = {}, annotations = {}, data = {} } = rendered();
            object.metadata.labels = { ...labels };
            object.metadata.annotations = { ...annotations };
            object.data = { ...data };
          },
        }),
      ]);
    const labelsAndData: Scope = { fields: ({ metadata, data }) => ({ labels: metadata.labels, data }) };

    it("see a changed label value, and no change in an equal map made anew", async () => {
      let labels: Record<string, string> = { a: "1", b: "2" };
      const harness = labelled(labelsAndData, () => ({ labels }));
      await harness.run();
      labels = { b: "2", a: "1" };
      expect(await harness.childWrites()).toEqual([]);
      labels = { a: "1", b: "3" };
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
      expect(await harness.childWrites()).toEqual([]);
    }); // OKT 38, 39

    it("see changed data, declared and live", async () => {
      let data: Record<string, string> = { x: "1" };
      const harness = labelled(labelsAndData, () => ({ data }));
      await harness.run();
      data = { x: "2" };
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
      harness.client.edit(ConfigMap, key, (object) => (object["data"] = { x: "3" }));
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    }); // OKT 40

    it("see only the chosen keys", async () => {
      let labels: Record<string, string> = { a: "1", c: "1", d: "1" };
      const chosen: Scope = {
        fields: ({ metadata, data }) => ({ b: metadata.labels?.["b"], d: metadata.labels?.["d"], data }),
      };
      const harness = labelled(chosen, () => ({ labels }));
      await harness.run();
      labels = { a: "2", c: "2", d: "1" };
      expect(await harness.childWrites()).toEqual([]);
      labels = { ...labels, b: "1" };
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    }); // OKT 41

    it("see a changed annotation, but not the same value written anew, nor our own", async () => {
      let annotations: Record<string, string> = { note: "x" };
      const harness = labelled({ fields: ({ metadata }) => metadata.annotations }, () => ({ annotations }));
      await harness.run();
      annotations = { note: "x" };
      expect(await harness.childWrites()).toEqual([]);
      annotations = { note: "y" };
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
      expect(await harness.childWrites()).toEqual([]);
    }); // OKT 42

    it("ignore the order of annotations, and see a changed value", async () => {
      let annotations: Record<string, string> = { a: "1", b: "2" };
      const main: Scope = {
        fields: ({ metadata: { labels, annotations: notes, ownerReferences } }) => ({
          labels,
          notes,
          ownerReferences,
        }),
      };
      const harness = labelled(main, () => ({ annotations }));
      await harness.run();
      annotations = { b: "2", a: "1" };
      expect(await harness.childWrites()).toEqual([]);
      annotations = { b: "2", a: "0" };
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
    }); // OKT 43

    it("do not see what is outside of them", async () => {
      const harness = labelled(
        { fields: ({ metadata: { labels, annotations } }) => ({ labels, annotations }) },
        () => ({ labels: { a: "1" }, data: { x: "1" } }),
      );
      await harness.run();
      harness.client.edit(ConfigMap, key, (object) => {
        metadataOf(object)["deletionGracePeriodSeconds"] = 5;
        object["data"] = { x: "2" };
      });
      expect(await harness.childWrites()).toEqual([]);
    }); // OKT 44

    it("do not hide a removed owner reference", async () => {
      const harness = labelled({ fields: ({ data }) => data }, () => ({ data: { x: "1" } }));
      await harness.run();
      harness.client.edit(ConfigMap, key, (object) => delete metadataOf(object)["ownerReferences"]);
      expect(await harness.childWrites()).toEqual(["patch ConfigMap/a"]);
      expect(await harness.childWrites()).toEqual([]);
    });
  });

  it("keeps what is declared besides the template: fields absent from the YAML survive", async () => {
    const set = kubernetesResource<StatefulSet, Cache>({
      type: StatefulSet,
      key: { name: "s" },
      mutateWithInitialData: (object) => {
        object.spec = { serviceName: "kept", selector: {}, template: { spec: { containers: [] } } };
        fromTemplate("{ apiVersion: apps/v1, kind: StatefulSet, spec: { podManagementPolicy: Parallel } }")(
          object,
        );
      },
      mutateWithCR: (object, { spec }) => {
        object.spec.replicas = spec.size;
      },
    });
    const harness = new Declaring(() => [set]);
    expect(await harness.childWrites()).toEqual(["apply StatefulSet/s"]);
    const live = harness.client.peek(StatefulSet, { namespace, name: "s" });
    expect(live?.spec).toMatchObject({ serviceName: "kept", podManagementPolicy: "Parallel", replicas: 1 });
    expect(await harness.childWrites()).toEqual([]);
  }); // OKT 45, 46

  describe("secret", () => {
    const secret = (stringData: Record<string, string>): ManifestOf<Secret> => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: key,
      stringData,
    });

    it("holds the bytes of its texts, and is then left alone", async () => {
      const harness = new Declaring(() => [secret({ password: "p+&<>\"'" })]);
      await harness.run();
      const data = harness.client.peek(Secret, key)?.data;
      expect(Buffer.from(data?.["password"] ?? "", "base64").toString()).toBe("p+&<>\"'");
      expect(await harness.childWrites()).toEqual([]);
    }); // OKT 47

    it("loses a text that is no longer declared", async () => {
      const harness = new Declaring((cr) => [secret(cr.spec.values ?? {})]);
      harness.setSpec({ values: { user: "u", password: "p" } });
      await harness.run();
      harness.setSpec({ values: { user: "u" } });
      expect(await harness.childWrites()).toEqual(["patch Secret/a"]);
      expect(Object.keys(harness.client.peek(Secret, key)?.data ?? {})).toEqual(["user"]);
    }); // OKT 48

    it("never shows a value in an Event", async () => {
      const harness = new Declaring(() => [secret({ password: "hunter2" })]);
      await harness.run();
      harness.client.edit(Secret, key, (object) => (object["data"] = { password: "b2xk" }));
      await harness.run();
      expect(harness.events.at(-1)?.message).toBe("Updated Secret/a: drifted at data.password");
    });
  });

  describe.each(["update", "patch"] as const)("written by %s", (write) => {
    const declare = (): Declaring =>
      new Declaring((cr) => [fromManifest(configMap("a", cr.spec.values ?? {}), { write })]);

    it("removes what only we own and no longer declare, and keeps what others added", async () => {
      const harness = declare();
      harness.setSpec({ values: { kept: "1", dropped: "2" } });
      expect(await harness.childWrites()).toEqual(["create ConfigMap/a"]);
      harness.client.edit(ConfigMap, key, (object) => {
        object["data"] = { ...(object["data"] as Fields), foreign: "3" };
        metadataOf(object)["managedFields"] = [
          {
            manager: "cache-operator",
            operation: "Update",
            fieldsV1: { "f:data": { ".": {}, "f:kept": {}, "f:dropped": {} } },
          },
          { manager: "kubectl", operation: "Update", fieldsV1: { "f:data": { "f:foreign": {} } } },
        ];
      });
      expect(await harness.childWrites()).toEqual([]);
      harness.setSpec({ values: { kept: "4" } });
      expect(await harness.childWrites()).toEqual([`${write} ConfigMap/a`]);
      expect(harness.client.peek(ConfigMap, key)?.data).toEqual({ kept: "4", foreign: "3" });
      expect(await harness.childWrites()).toEqual([]);
    });

    it("looks again soon after a conflict, without an error or a new status", async () => {
      const harness = declare();
      await harness.run();
      harness.setSpec({ values: { a: "1" } });
      const edit = (): void =>
        void harness.client.edit(ConfigMap, key, (object) => (metadataOf(object)["labels"] = { x: "y" }));
      const conflict = refusal(409, "Conflict");
      harness.client.fail({ verb: write, object: "ConfigMap/a", error: conflict, before: edit });
      const outcome = await harness.run();
      expect(outcome).toMatchObject({ kind: "waiting", requeueAfter: 1_000 });
      expect(harness.condition?.status).toBe("True");
      await harness.run();
      const live = harness.client.peek(ConfigMap, key);
      expect(live).toMatchObject({ data: { a: "1" }, metadata: { labels: { x: "y" } } });
    });
  });

  it("is created with the stepper's defaults, from a manifest alone", async () => {
    const harness = new Harness();
    const engine = stepper<Cache>({ ObjectsGetter: ({ registry }) => registry.add(service()) });
    await harness.run({ engine });
    expect(harness.client.peek(Service, serviceKey)?.spec.ports).toMatchObject([
      { port: 11211, targetPort: 11211 },
    ]);
  });
});
