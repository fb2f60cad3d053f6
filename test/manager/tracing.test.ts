// What an OpenTelemetry SDK is told of an operator: from the watch event to the last write, and no secret.
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { ConfigMap, Secret } from "../../src/kinds/index.ts";
import { createTracing } from "../../src/manager/open-telemetry.ts";
import { noTracing } from "../../src/ports/tracing.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const password = "correct-horse-battery-staple";

const Safe = defineKind({
  group: "tracing.example.com",
  version: "v1",
  kind: "Safe",
  spec: z.object({ size: z.int().default(1), broken: z.boolean().default(false) }),
  status: z.object({ seen: z.int() }),
});

const operator = defineOperator({
  name: "safe-operator",
  controllers: [
    defineController(Safe, {
      owns: [ConfigMap, Secret],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          const { name, namespace } = cr.metadata;
          const metadata = { name, namespace };
          registry.add(
            { apiVersion: "v1", kind: "ConfigMap", metadata, data: { size: String(cr.spec.size) } },
            { apiVersion: "v1", kind: "Secret", metadata, stringData: { password } },
          );
          if (cr.spec.broken) throw new Error(`it does not open with ${password}`);
        },
        SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
      },
    }),
  ],
});

describeOnEachApiServer(
  "a traced operator",
  (server) => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    let running: RunningOperator;
    beforeAll(async () => {
      running = await startOperator(operator, server().kubeconfig, { tracerProvider, installCrds: true });
    });
    afterAll(async () => {
      await running.stop();
      await tracerProvider.shutdown();
    });

    const namespace = "default";
    const manifest = (name: string, spec: object) =>
      ({ apiVersion: "tracing.example.com/v1", kind: "Safe", metadata: { name, namespace }, spec }) as never;
    const spansOf = (name: string): readonly ReadableSpan[] =>
      exporter
        .getFinishedSpans()
        .filter(({ attributes }) => attributes["xstate_operator.object.name"] === name);
    const written = (name: string, size: number) =>
      eventually(async () => {
        const { status } = await server().client.get(Safe, { name, namespace });
        expect(status).toMatchObject({ seen: size });
        const reconciles = spansOf(name).filter((span) => span.name === "reconcile Safe");
        expect(reconciles.length).toBeGreaterThan(0);
        return reconciles[0] as ReadableSpan;
      });
    /** The names from the root of the trace to this span. */
    const pathTo = (span: ReadableSpan): readonly string[] => {
      const parent = exporter
        .getFinishedSpans()
        .find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId);
      return [...(parent === undefined ? [] : pathTo(parent)), span.name];
    };

    it("tells the way from the watch event to the last write as one trace", async () => {
      await server().client.create(Safe, manifest("whole", { size: 3 }));
      const reconcile = await written("whole", 3);
      const { traceId } = reconcile.spanContext();
      const spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
      const paths = spans.map((span) => pathTo(span).join(" > "));
      const collection = "/api/v1/namespaces/{namespace}";
      const status = "/apis/tracing.example.com/v1/namespaces/{namespace}/safes/{name}/status";
      expect(paths).toEqual(
        expect.arrayContaining([
          "watch Safe added",
          "watch Safe added > queue Safe",
          "watch Safe added > reconcile Safe",
          "watch Safe added > reconcile Safe > CRChecker",
          "watch Safe added > reconcile Safe > ObjectsGetter",
          "watch Safe added > reconcile Safe > Mutator",
          "watch Safe added > reconcile Safe > Updater",
          `watch Safe added > reconcile Safe > Updater > POST ${collection}/configmaps`,
          `watch Safe added > reconcile Safe > Updater > POST ${collection}/secrets`,
          `watch Safe added > reconcile Safe > SuccessManager > PUT ${status}`,
        ]),
      );
    });

    it("tells whose reconcile it was, why, and what came of it", async () => {
      await server().client.create(Safe, manifest("named", {}));
      const { attributes, resource: _, status } = await written("named", 1);
      expect(attributes).toMatchObject({
        "k8s.namespace.name": namespace,
        "xstate_operator.object.kind": "Safe",
        "xstate_operator.controller": "safe",
        "xstate_operator.causes": ["added Safe default/named"],
        "xstate_operator.outcome": "settled",
        "xstate_operator.failures": 0,
      });
      const ended = running.lines.find(({ fields }) => fields["object"] === "default/named");
      expect(attributes["xstate_operator.reconcile.id"]).toBe(ended?.fields["reconcileId"]);
      expect(status.code).toBe(SpanStatusCode.UNSET);
    });

    it("tells requests by the conventions for HTTP, and failures by their codes", async () => {
      await server().client.create(Safe, manifest("asked", { size: 2 }));
      const { traceId } = (await written("asked", 2)).spanContext();
      const write = exporter
        .getFinishedSpans()
        .find((span) => span.spanContext().traceId === traceId && span.name.endsWith("/secrets"));
      const { hostname, port } = new URL(server().url);
      expect(write?.attributes).toMatchObject({
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "url.full": `${server().url}/api/v1/namespaces/default/secrets`,
        "server.address": hostname,
        "server.port": Number(port),
        "k8s.namespace.name": namespace,
      });
    });

    it("is named in the log lines of its reconcile, within it and of what came of it", async () => {
      await server().client.create(Safe, manifest("logged", { broken: true }));
      const spanOf = (message: string): unknown => {
        const line = running.lines.find(
          ({ fields, ...each }) => each.message === message && fields["object"] === "default/logged",
        );
        return { traceId: line?.fields["trace_id"], spanId: line?.fields["span_id"] };
      };
      await eventually(() => {
        const [reconcile] = spansOf("logged").filter(({ name }) => name === "reconcile Safe");
        const { traceId, spanId } = reconcile?.spanContext() ?? {};
        expect(spanId).toBeDefined();
        expect(spanOf("reconcile starts")).toEqual({ traceId, spanId });
        expect(spanOf("reconcile failed")).toEqual({ traceId, spanId });
      });
    });

    it("tells no secret: neither values of objects nor what an error says", async () => {
      await server().client.create(Safe, manifest("broken", { broken: true }));
      const failed = await eventually(() => {
        const found = spansOf("broken").find(({ status }) => status.code === SpanStatusCode.ERROR);
        expect(found).toBeDefined();
        return found as ReadableSpan;
      });
      expect(failed.attributes["error.type"]).toBe("Error");
      const told = JSON.stringify(
        exporter
          .getFinishedSpans()
          .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      );
      expect(told).toContain("default/broken");
      expect(told).not.toContain(password);
      expect(told).not.toContain(Buffer.from(password).toString("base64"));
    });

    it("makes spans of nothing that belongs to no object: lists, watches, an idle operator", () => {
      const roots = exporter
        .getFinishedSpans()
        .filter(({ parentSpanContext }) => parentSpanContext === undefined);
      expect(roots.map(({ name }) => name)).toContain("watch Safe added");
      expect(roots.filter(({ kind }) => kind === SpanKind.CLIENT)).toEqual([]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);

describe("tracing", () => {
  afterEach(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });

  it("is off, and loads nothing, when no provider is registered", async () => {
    expect(await createTracing()).toBe(noTracing);
  });

  it("takes the provider that the process has registered", async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
    const tracing = await createTracing();
    expect(tracing.on).toBe(true);
    tracing.begin({ name: "work", attributes: { told: "yes", untold: undefined } }).end();
    expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
      ["work", { told: "yes" }],
    ]);
  });

  it("hands the trace on in headers, by the propagator that is registered", async () => {
    propagation.setGlobalPropagator({
      inject: (around, carrier, { set }) =>
        set(carrier, "traceparent", trace.getSpanContext(around)?.spanId ?? ""),
      extract: (around) => around,
      fields: () => ["traceparent"],
    });
    const span = (await createTracing(new BasicTracerProvider())).begin({ name: "request" });
    expect(span.headers()).toEqual({ traceparent: span.reference?.spanId });
  });

  it("asks the sampler once for a trace that is not recorded, and still hands that trace on", async () => {
    const asked: string[] = [];
    const sampler = {
      shouldSample: (_context: unknown, _traceId: string, name: string) => {
        asked.push(name);
        return { decision: 0 };
      },
    };
    const tracing = await createTracing(new BasicTracerProvider({ sampler }));
    const outer = tracing.begin({ name: "outer" });
    outer.within(() => {
      const inner = tracing.begin({ name: "inner" });
      inner.within(() => tracing.begin({ name: "innermost" }).end());
      expect(inner.reference).toEqual(outer.reference);
      expect(tracing.inside).toBe(true);
      inner.end();
    });
    outer.end();
    tracing.begin({ name: "next" }).end();
    expect(asked).toEqual(["outer", "next"]);
  });

  it("gives what begins within a span that parent over every await, until the span ends", async () => {
    const exporter = new InMemorySpanExporter();
    const tracing = await createTracing(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
    const ended = Promise.withResolvers<void>();
    const outer = tracing.begin({ name: "outer" });
    const work = outer.within(async () => {
      await Promise.resolve();
      tracing.begin({ name: "inner" }).end();
      await ended.promise;
      expect(tracing.inside).toBe(false);
      tracing.begin({ name: "late" }).end();
    });
    await Promise.resolve();
    expect(tracing.inside).toBe(false);
    outer.end();
    ended.resolve();
    await work;
    const parents = exporter
      .getFinishedSpans()
      .map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId]);
    expect(Object.fromEntries(parents)).toEqual({
      outer: undefined,
      inner: outer.reference?.spanId,
      late: undefined,
    });
  });
});
