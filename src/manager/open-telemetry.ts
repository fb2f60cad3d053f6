// The tracing port over OpenTelemetry's API: the SDK, its exporter and its sampler are the author's. The API is loaded only
// when there is a provider, because it costs 10 MB.
import { AsyncLocalStorage } from "node:async_hooks";
import type * as Api from "@opentelemetry/api";
import type { Span, SpanAttributes, SpanReference, Tracing } from "../ports/tracing.ts";
import { noSpan, noTracing } from "../ports/tracing.ts";

/** Name of the instrumentation scope: of every span that the library makes. */
export const tracerName = "xstate-operator";

/** Where copies of the API, whatever their version, find what was registered: the contract between them. */
const registered = Symbol.for("opentelemetry.js.api.1");

/** Whether a tracer provider is registered with OpenTelemetry's API in this process. */
function isProviderRegistered(): boolean {
  const globals = (globalThis as { readonly [registered]?: { readonly trace?: unknown } })[registered];
  return globals?.trace !== undefined;
}

/**
 * Tracing with the provider, by default the one that is registered with the API; {@link noTracing} without one.
 *
 * **Guarantees**: the parent of a span is known over every await, whether or not a context manager is registered; with one,
 * spans of the author and of other libraries are in the right place too.
 */
export async function createTracing(provider?: Api.TracerProvider): Promise<Tracing> {
  if (provider === undefined && !isProviderRegistered()) return noTracing;
  const api = await import("@opentelemetry/api");
  return new OpenTelemetry(api, provider ?? api.trace.getTracerProvider());
}

/** The span within which something is called. */
interface Current {
  readonly context: Api.Context;
  /** What goes on behind its end belongs to nobody: timers and sockets that were opened meanwhile serve others later. */
  over: boolean;
}

class OpenTelemetry implements Tracing {
  readonly on = true;
  readonly #api: typeof Api;
  readonly #tracer: Api.Tracer;
  readonly #current = new AsyncLocalStorage<Current>();

  constructor(api: typeof Api, provider: Api.TracerProvider) {
    this.#api = api;
    this.#tracer = provider.getTracer(tracerName);
  }

  get inside(): boolean {
    return this.#current.getStore()?.over === false;
  }

  get current(): SpanReference | undefined {
    const around = this.#around();
    return around === undefined ? undefined : this.#referenceOf(around);
  }

  begin({
    name,
    kind = "internal",
    attributes,
    parent,
    links = [],
    ago = 0,
  }: Parameters<Tracing["begin"]>[0]): Span {
    const { trace, ROOT_CONTEXT, SpanKind } = this.#api;
    const outer = this.#around();
    if (parent === undefined && outer !== undefined && trace.getSpan(outer)?.isRecording() === false) {
      return this.#unrecorded(outer);
    }
    const around =
      parent === undefined
        ? (outer ?? ROOT_CONTEXT)
        : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: false });
    const span = this.#tracer.startSpan(
      name,
      {
        kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>],
        links: links.map((context) => ({ context })),
        ...(attributes === undefined ? {} : { attributes: defined(attributes) }),
        ...(ago === 0 ? {} : { startTime: Date.now() - ago }),
      },
      around,
    );
    return this.#spanOf(span, trace.setSpan(around, span));
  }

  #around(): Api.Context | undefined {
    const current = this.#current.getStore();
    return current?.over === false ? current.context : undefined;
  }

  /** Work within a span that nobody records: the sampler has decided about the whole trace, and is not asked again. */
  #unrecorded(context: Api.Context): Span {
    return { ...noSpan, reference: this.#referenceOf(context), headers: () => this.#headersOf(context) };
  }

  #referenceOf(context: Api.Context): SpanReference | undefined {
    const { trace, isSpanContextValid } = this.#api;
    const found = trace.getSpanContext(context);
    if (found === undefined || !isSpanContextValid(found)) return undefined;
    const { traceId, spanId, traceFlags } = found;
    return { traceId, spanId, traceFlags };
  }

  #headersOf(context: Api.Context): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {};
    this.#api.propagation.inject(context, carrier);
    return carrier;
  }

  #spanOf(span: Api.Span, context: Api.Context): Span {
    const { context: contexts, SpanStatusCode } = this.#api;
    const current: Current = { context, over: false };
    return {
      reference: this.#referenceOf(context),
      within: (work) => this.#current.run(current, () => contexts.with(context, work)),
      set: (attributes) => void span.setAttributes(defined(attributes)),
      fail: (type) => {
        span.setAttribute("error.type", type);
        span.setStatus({ code: SpanStatusCode.ERROR });
      },
      headers: () => this.#headersOf(context),
      end: () => {
        current.over = true;
        if (span.isRecording()) span.end();
      },
    };
  }
}

function defined(attributes: SpanAttributes): Api.Attributes {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as Api.Attributes;
}
