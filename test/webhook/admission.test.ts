import { assert, jsonValue, property } from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { applyJsonPatch } from "../../src/cluster/patch/json-patch.ts";
import { defineController, type WebhookOptions } from "../../src/index.ts";
import { failedAnnotation, keptAnnotation } from "../../src/kinds/versions/convert.ts";
import { silentLogger, type LogFields, type Logger } from "../../src/ports/logger.ts";
import { admissionRoutes } from "../../src/webhook/admission/admission-routes.ts";
import { jsonPatchOf } from "../../src/webhook/admission/json-patch.ts";
import { MalformedReview } from "../../src/webhook/webhook-route.ts";
import { Volume, volume } from "./volume-kind.ts";

interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
  readonly status?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly details?: object;
  };
}

interface Asked {
  readonly object?: object | null;
  readonly oldObject?: object | null;
  readonly operation?: string;
  readonly [field: string]: unknown;
}

const kind = { group: "storage.example.com", version: "v1", kind: "Volume" };
const reviewOf = ({ object = volume(), oldObject = null, operation, ...more }: Asked = {}): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "4711",
    kind,
    resource: { group: kind.group, version: "v1", resource: "volumes" },
    operation: operation ?? (oldObject === null ? "CREATE" : "UPDATE"),
    name: "data",
    namespace: "default",
    userInfo: { username: "alice", groups: ["developers"] },
    object,
    oldObject,
    ...more,
  },
});

const lines: LogFields[] = [];
const log: Logger = { ...silentLogger, error: (fields) => lines.push(fields) };
const mask = (text: string): string => text.replaceAll("hunter2", "***");

/** As it is shown in the webhook's version when it could not be converted to it. */
function unconverted(spec: Partial<Volume["spec"]> = {}, metadata: object = {}): Volume {
  const object = volume(spec, metadata);
  const whole = { spec: { bytes: "4 G" }, status: {}, shown: object.spec };
  const annotations = {
    [failedAnnotation]: "v1alpha1 to v1: 4 G is no number",
    [keptAnnotation]: JSON.stringify({ v1alpha1: { whole } }),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** What the API server is answered. */
async function ask(options: WebhookOptions<Volume>, asked: Asked = {}, path = "validate"): Promise<Response> {
  const routes = admissionRoutes(Volume, options as never, { log, mask });
  const route = routes.find((each) => each.path === `/${path}/volumes.storage.example.com`);
  if (route === undefined) throw new Error(`${path} is not served`);
  const { body, result } = await route.review(reviewOf(asked), { signal: new AbortController().signal });
  const { response } = body as { response: Response };
  expect(response.uid).toBe("4711");
  expect(result === "allowed").toBe(response.allowed);
  return response;
}

const mutateTo = async (
  mutate: NonNullable<WebhookOptions<Volume>["mutate"]>,
  asked: Asked = {},
): Promise<unknown> => {
  const { allowed, patch, patchType } = await ask({ mutate }, asked, "mutate");
  expect(allowed).toBe(true);
  expect(patchType).toBe(patch === undefined ? undefined : "JSONPatch");
  const operations: unknown = patch === undefined ? [] : JSON.parse(Buffer.from(patch, "base64").toString());
  return applyJsonPatch(asked.object ?? volume(), operations);
};

describe("a validating webhook", () => {
  it("is given the typed objects, who asks, and whether it is a rehearsal", async () => {
    const seen: object[] = [];
    const validate: WebhookOptions<Volume>["validate"] = ({
      object,
      oldObject,
      operation,
      userInfo,
      dryRun,
    }) => {
      expectTypeOf(object.spec.size).toEqualTypeOf<number>();
      if (operation === "CREATE") expectTypeOf(oldObject).toEqualTypeOf<undefined>();
      else expectTypeOf(oldObject.spec.size).toEqualTypeOf<number>();
      seen.push({ operation, size: object.spec.size, old: oldObject?.spec.size, userInfo, dryRun });
    };
    expect(await ask({ validate })).toEqual({ uid: "4711", allowed: true });
    await ask({ validate }, { object: volume({ size: 5 }), oldObject: volume(), dryRun: true });
    const userInfo = { username: "alice", groups: ["developers"] };
    expect(seen).toEqual([
      { operation: "CREATE", size: 4, old: undefined, userInfo, dryRun: false },
      { operation: "UPDATE", size: 5, old: 4, userInfo, dryRun: true },
    ]);
  });

  it("refuses fields as the API server does: Invalid, with a cause for each", async () => {
    const { allowed, status } = await ask({
      validate: () =>
        Promise.resolve([
          { field: "spec.size", message: "must not shrink", reason: "FieldValueForbidden" as const },
          { field: "spec.labels[a]", message: "is reserved" },
        ]),
    });
    expect(allowed).toBe(false);
    expect(status).toEqual({
      status: "Failure",
      code: 422,
      reason: "Invalid",
      message:
        'Volume.storage.example.com "data" is invalid: [spec.size: must not shrink, spec.labels[a]: is reserved]',
      details: {
        name: "data",
        group: "storage.example.com",
        kind: "Volume",
        causes: [
          { reason: "FieldValueForbidden", message: "must not shrink", field: "spec.size" },
          { reason: "FieldValueInvalid", message: "is reserved", field: "spec.labels[a]" },
        ],
      },
    });
  });

  it("forbids a request that is refused as a whole", async () => {
    const { status } = await ask({
      validate: () => [{ message: "not on Fridays" }, { message: "nor by alice" }],
    });
    expect(status).toMatchObject({ code: 403, reason: "Forbidden", message: "not on Fridays; nor by alice" });
  });

  it("asks by itself what the kind checks and the API server does not know, before the author's function", async () => {
    const validate = (): never => {
      throw new Error("asked about what does not fit the schema");
    };
    expect((await ask({ validate }, { object: volume({ window: "at night" }) })).status).toMatchObject({
      code: 422,
      message: 'Volume.storage.example.com "data" is invalid: spec.window: must be from one time to another',
    });
    const halved = { object: volume({ size: 1 }), oldObject: volume() };
    expect((await ask({ validate: true }, halved)).status).toMatchObject({
      code: 403,
      message: "a volume is never halved",
    });
    expect(await ask({ validate: true })).toEqual({ uid: "4711", allowed: true });
  });

  it("lets what was wrong before stay as it is, so that the rest can be changed", async () => {
    const wrong = { window: "at night" };
    expect(
      await ask({ validate: true }, { object: volume({ ...wrong, size: 5 }), oldObject: volume(wrong) }),
    ).toEqual({
      uid: "4711",
      allowed: true,
    });
    const other = { object: volume({ window: "by day" }), oldObject: volume(wrong) };
    expect(await ask({ validate: true }, other)).toMatchObject({ allowed: true });
    expect(await ask({ validate: true }, { object: volume(wrong), oldObject: volume() })).toMatchObject({
      allowed: false,
    });
  });

  it("refuses an object that cannot be converted, unless it could not be before; no function is asked about it", async () => {
    const validate = () => {
      throw new Error("was asked");
    };
    const object = unconverted();
    expect((await ask({ validate }, { object })).status).toMatchObject({
      code: 422,
      message: expect.stringContaining("spec: could not be converted (v1alpha1 to v1: 4 G is no number)"),
    });
    expect(await ask({ validate }, { object, oldObject: volume() })).toMatchObject({ allowed: false });
    const labelled = unconverted({}, { labels: { a: "b" } });
    expect(await ask({ validate }, { object: labelled, oldObject: object })).toMatchObject({ allowed: true });
  });

  it("never keeps a deleted object from its end", async () => {
    const refusing: WebhookOptions<Volume> = {
      validate: () => [{ message: "never" }],
      mutate: () => {
        throw new Error("never");
      },
    };
    const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a/b"] };
    const oldObject = volume({}, metadata);
    const ending = { object: volume({}, { ...metadata, finalizers: [] }), oldObject };
    expect(await ask(refusing, ending)).toEqual({ uid: "4711", allowed: true });
    expect(await ask(refusing, ending, "mutate")).toEqual({ uid: "4711", allowed: true });
    const changing = { object: volume({ size: 9 }, metadata), oldObject };
    expect(await ask(refusing, changing)).toMatchObject({ allowed: false });
  });

  it("judges deletions by a function of their own", async () => {
    const deletion = { operation: "DELETE", object: null, oldObject: volume() };
    expect(await ask({ validate: () => [{ message: "never" }] }, deletion)).toMatchObject({ allowed: true });
    const options: WebhookOptions<Volume> = {
      validateDelete: ({ oldObject }) => [{ message: `${oldObject.metadata.name} is in use` }],
    };
    expect((await ask(options, deletion)).status).toMatchObject({ code: 403, message: "data is in use" });
    expect(await ask(options)).toMatchObject({ allowed: true });
  });

  it("answers 500 with the message and without secrets when a function throws, and logs no object", async () => {
    lines.length = 0;
    const { allowed, status } = await ask({
      validate: () => Promise.reject(new Error("the quota service refused hunter2")),
    });
    expect(allowed).toBe(false);
    expect(status).toEqual({
      status: "Failure",
      code: 500,
      reason: "InternalError",
      message: "the quota service refused ***",
    });
    expect(lines).toEqual([
      {
        webhook: "/validate/volumes.storage.example.com",
        operation: "CREATE",
        object: "default/data",
        error: "the quota service refused ***",
      },
    ]);
  });

  it.each([
    ["false", false],
    ["a text", "too small"],
    ["an object", { message: "too small" }],
    ["a list of texts", ["too small"]],
    ["a refusal without words", [{ field: "spec.size" }]],
    ["a refusal of a number", [{ field: 4, message: "too small" }]],
  ])("takes %s for no permission", async (_, returned) => {
    const { allowed, status } = await ask({ validate: () => returned as never });
    expect([allowed, status?.code]).toEqual([false, 500]);
    expect(status?.message).toMatch(/^validate of Volume returned .*: return a list such as/);
  });

  it("shows warnings whatever it decides: one line each, within the limits of the API server, without secrets", async () => {
    const { warnings = [], allowed } = await ask({
      validate: ({ warn }) => {
        warn("hunter2 is\n  weak");
        warn("twice");
        warn("twice");
        warn("x".repeat(300));
        return [{ message: "no" }];
      },
    });
    expect(allowed).toBe(false);
    expect(warnings.slice(0, 2)).toEqual(["*** is weak", "twice"]);
    expect(warnings[2]).toBe(`${"x".repeat(255)}…`);
    const many = await ask({
      validate: ({ warn }) => {
        for (let number = 0; number < 100; number += 1) warn(`${number} ${"x".repeat(250)}`);
      },
    });
    expect(many.warnings?.join("").length).toBeLessThanOrEqual(4_096);
  });

  it("has nothing to do with a subresource, or an operation that stores nothing", async () => {
    const validate = (): never => {
      throw new Error("asked");
    };
    const scale = { kind: { group: "autoscaling", version: "v1", kind: "Scale" }, subResource: "scale" };
    expect(await ask({ validate }, scale)).toMatchObject({ allowed: true });
    expect(await ask({ validate }, { operation: "CONNECT" })).toMatchObject({ allowed: true });
  });

  it.each<[string, object, RegExp]>([
    ["no review", {}, /not an AdmissionReview/],
    ["another version", { ...reviewOf(), apiVersion: "admission.k8s.io/v1beta1" }, /not an AdmissionReview/],
    ["no request", { ...reviewOf(), request: null }, /no request/],
    ["a request without a uid", reviewOf({ uid: 4 }), /lacks uid/],
    ["no object", reviewOf({ object: null }), /no object/],
    ["an update without what was", reviewOf({ operation: "UPDATE" }), /no oldObject/],
    [
      "another kind",
      reviewOf({ kind: { ...kind, version: "v2" } }),
      /Volume in storage.example.com\/v1, and was asked/,
    ],
  ])("takes %s for malformed", async (_, body, said) => {
    const [route] = admissionRoutes(Volume, { validate: true }, { log, mask });
    const asked = route?.review(body, { signal: new AbortController().signal });
    await expect(asked).rejects.toThrow(MalformedReview);
    await expect(asked).rejects.toThrow(said);
  });
});

describe("a mutating webhook", () => {
  it("returns the changed object, of which the library makes the patch", async () => {
    const made = await mutateTo(({ object }) => ({ ...object, spec: { ...object.spec, replicas: 3 } }));
    expect(made).toEqual(volume({ replicas: 3 }));
  });

  it("may change the object that it is given instead, and wait for something", async () => {
    const made = await mutateTo(async ({ object }) => {
      await Promise.resolve();
      (object.spec as { size: number }).size = 8;
    });
    expect(made).toEqual(volume({ size: 8 }));
  });

  it("sends no patch when all stays", async () => {
    expect(await ask({ mutate: ({ object }) => object }, {}, "mutate")).toEqual({
      uid: "4711",
      allowed: true,
    });
    expect(await ask({ mutate: () => undefined }, {}, "mutate")).toEqual({ uid: "4711", allowed: true });
  });

  it("leaves an object that cannot be converted as it is shown, which would count as its correction", async () => {
    const mutate: NonNullable<WebhookOptions<Volume>["mutate"]> = ({ object }) => {
      (object.spec as { replicas?: number }).replicas = 2;
    };
    expect(await ask({ mutate }, { object: unconverted() }, "mutate")).toEqual({
      uid: "4711",
      allowed: true,
    });
  });

  it("that fails on what does not fit the schema says what does not fit", async () => {
    const mutate: NonNullable<WebhookOptions<Volume>["mutate"]> = ({ object }) => {
      (object.spec as { labels?: object }).labels = { size: object.spec.size.toFixed() };
    };
    const { status } = await ask({ mutate }, { object: volume({ size: "large" as never }) }, "mutate");
    expect(status).toMatchObject({ code: 422, message: expect.stringContaining("spec.size: Invalid input") });
    const failed = await ask({ mutate: () => Promise.reject(new Error("no quota")) }, {}, "mutate");
    expect(failed.status).toMatchObject({ code: 500, message: "no quota" });
  });

  it.each<[string, (object: Volume) => unknown]>([
    ["another name", (object) => ({ ...object, metadata: { ...object.metadata, name: "other" } })],
    ["another kind", (object) => ({ ...object, kind: "Disk" })],
    ["its spec alone", ({ spec }) => spec],
    ["true", () => true],
  ])("must return the object that it was given, and not %s", async (_, change) => {
    const { status } = await ask({ mutate: ({ object }) => change(object) as never }, {}, "mutate");
    expect(status).toMatchObject({ code: 500, message: expect.stringMatching(/^mutate of Volume returned/) });
  });

  it("makes a patch that leads from any JSON to any other", () => {
    const json = jsonValue({ maxDepth: 4 });
    assert(
      property(json, json, (before, after) => {
        const patch = jsonPatchOf({ value: before }, { value: after });
        expect(applyJsonPatch({ value: before }, patch)).toEqual({ value: after });
      }),
    );
    const names = { "a/b": 1, "~": 2, "": 3 };
    expect(applyJsonPatch(names, jsonPatchOf(names, { "a/b": 2, "~1": 2 }))).toEqual({ "a/b": 2, "~1": 2 });
  });
});

describe("the declaration of webhooks", () => {
  const declare = (webhooks: object) => () => defineController(Volume, { webhooks });

  it.each<[object, RegExp]>([
    [{}, /has webhooks without a function/],
    [{ validate: false }, /validate.*must be a function, or true/],
    [{ validates: () => undefined }, /validates/],
    [{ validate: true, timeout: "1500ms" }, /whole seconds, from 1 s to 30 s/],
    [{ validate: true, timeout: "1m" }, /whole seconds, from 1 s to 30 s/],
    [{ validate: true, failurePolicy: "Abort" }, /one of Fail, Ignore/],
  ])("refuses %o", (webhooks, said) => {
    expect(declare(webhooks)).toThrow(said);
  });
});
