// The operator's end of the sidecars of its applications: one stream of events for each, which is opened when an application is first
// observed, held while it goes on being observed, and opened again when it breaks. What it says wakes the resource.
import { isEqualJson } from "../meta/changed-paths.ts";
import { formatKey, keyOf, type ObjectKey } from "../meta/object-key.ts";
import type { Json, KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { backoffDelay, upperHalf } from "../ports/backoff.ts";
import { sleep, type Clock, type TimerHandle } from "../ports/clock.ts";
import { systemRandom } from "../ports/random.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { systemClock } from "../ports/system-clock.ts";
import { createHttpClient, type HttpCall, type HttpClient, type HttpClientOptions } from "./http-client.ts";

/** What a sidecar says of its application's state. */
export interface SidecarReport {
  /** The word; undefined while the application itself cannot be asked. */
  readonly state?: string;
  /** What else it says. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** Since when it has been so: ISO 8601. */
  readonly since?: string;
  /** Why the application cannot be asked. */
  readonly error?: string;
}

/** Requests reconciles for what happens outside of the cluster. */
export interface ReconcileSource {
  /**
   * Called when the controller begins to work. What it is given reconciles the resource of a key, soon; what it returns ends the
   * source.
   */
  readonly start: (wake: (key: ObjectKey) => void) => () => void;
}

/** Whose sidecar is meant, and what its place is found by; every hook is given this. */
export interface SidecarCall<TCR extends KubeObject> {
  /** The custom resource whose application is meant. */
  readonly cr: TCR;
  /** Reads from the cache, as hooks do. */
  readonly lookUp: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => T | undefined;
}

/** Options of {@link createSidecarClient}. */
export interface SidecarClientOptions<TCR extends KubeObject> extends Omit<HttpClientOptions, "baseUrl"> {
  /**
   * Where the sidecar of a resource answers, for instance `https://shop-0.shop:9876`, or at the address of a pod that is looked up.
   * Undefined while there is none.
   */
  readonly url: (cr: TCR, call: SidecarCall<TCR>) => string | undefined;
  /** The bearer token of that sidecar, for instance of a Secret that is looked up; default that of `tokenFile`. */
  readonly token?: (cr: TCR, call: SidecarCall<TCR>) => string | undefined;
}

/** The sidecars of one kind's resources; made by {@link createSidecarClient}. */
export interface SidecarClient<TCR extends KubeObject> extends ReconcileSource {
  /**
   * The state, as the stream has reported it last, or else asked for now. Rejects as `HttpClient.send` does where nobody answers, and
   * with `SIDECAR_ABSENT` while there is no sidecar.
   */
  state(call: SidecarCall<TCR> & { readonly signal: AbortSignal }): Promise<SidecarReport>;
  /** A call of the sidecar of a resource: its address with this path, and its token. Errors: `SIDECAR_ABSENT`. */
  at(call: SidecarCall<TCR>, path: string): Pick<HttpCall, "url" | "headers">;
  /** What its calls are made with. */
  readonly http: HttpClient;
}

/** Milliseconds for which an application that is not observed any more is still listened to. */
const forgetAfter = 600_000;
/** Milliseconds of silence after which a stream is taken to be broken: sidecars give a sign of life every ten seconds. */
const longestSilence = 30_000;
const backoff = { first: 500, longest: 30_000, jitter: upperHalf } as const;

interface Listened {
  readonly key: ObjectKey;
  /** Where, and with which token. */
  readonly place: Place;
  readonly abort: AbortController;
  /** Ends the wait before it is tried again. */
  retry: AbortController;
  observedAt: number;
  /** What was heard last; undefined while nothing is heard. */
  report: SidecarReport | undefined;
}

interface Place {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Observes applications by their sidecars. Name it in `sources` of the controller, so that a change in an application reconciles its
 * resource at once.
 *
 * **Errors**: `HTTP_OPTIONS_INVALID`; those of `HttpClient.send` when it is asked, and `SIDECAR_ABSENT`.
 *
 * @example
 * const sidecars = createSidecarClient<Shop>({ url: (cr) => `http://${cr.metadata.name}.shop:9876`, tokenFile: "/etc/sidecar/token" });
 * // In a controller: sources: [sidecars], application: { observe: async (call) => readState(await sidecars.state(call)) }
 */
export function createSidecarClient<TCR extends KubeObject>(
  options: SidecarClientOptions<TCR>,
): SidecarClient<TCR> {
  const { url, token, ...rest } = options;
  const http = createHttpClient(rest);
  const clock: Clock = options.clock ?? systemClock;
  const listened = new Map<string, Listened>();
  let wake: ((key: ObjectKey) => void) | undefined;

  async function listen(to: Listened): Promise<void> {
    const { signal } = to.abort;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await follow(to, () => (failures = 0));
      } catch {
        // Whether it answers is said to whoever asks for the state.
      }
      if (signal.aborted) return;
      const wasHeard = to.report !== undefined;
      to.report = undefined;
      // That nothing is heard any more is news as well.
      if (wasHeard) wake?.(to.key);
      to.retry = new AbortController();
      const over = AbortSignal.any([signal, to.retry.signal]);
      await sleep(clock, backoffDelay(backoff, failures, systemRandom), over);
    }
  }

  async function follow(to: Listened, onHeard: () => void): Promise<void> {
    const silence = new AbortController();
    const broken = (): void => silence.abort(new Error("the sidecar is silent"));
    let timer: TimerHandle = clock.setTimeout(broken, longestSilence);
    let text = "";
    const receive = (chunk: string): void => {
      clock.clearTimeout(timer);
      timer = clock.setTimeout(broken, longestSilence);
      const events = (text + chunk).split("\n\n");
      text = (events.pop() ?? "").slice(-largestEvent);
      for (const event of events) {
        const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        if (name === "") continue;
        onHeard();
        if (name === "state") to.report = JSON.parse(data) as SidecarReport;
        if (clock.now() - to.observedAt > forgetAfter) end(to);
        else wake?.(to.key);
      }
    };
    try {
      const signal = AbortSignal.any([to.abort.signal, silence.signal]);
      await http.stream({ ...to.place, url: `${to.place.url}/events`, signal }, receive);
    } finally {
      clock.clearTimeout(timer);
    }
  }

  function end(to: Listened): void {
    to.abort.abort(new Error("nobody observes it any more"));
    if (listened.get(formatKey(to.key)) === to) listened.delete(formatKey(to.key));
  }

  function placeOf(call: SidecarCall<TCR>): Place {
    const { cr } = call;
    const where = url(cr, call);
    if (where === undefined) throw absent(cr);
    const shown = token?.(cr, call);
    return { url: where, headers: shown === undefined ? {} : { authorization: `Bearer ${shown}` } };
  }

  function listenedTo(cr: TCR, place: Place): Listened | undefined {
    if (wake === undefined) return undefined;
    const key = keyOf(cr);
    const known = listened.get(formatKey(key));
    if (known !== undefined && isEqualJson(known.place, place)) {
      known.observedAt = clock.now();
      return known;
    }
    if (known !== undefined) end(known);
    const begun = {
      key,
      place,
      abort: new AbortController(),
      retry: new AbortController(),
      observedAt: clock.now(),
      report: undefined,
    };
    listened.set(formatKey(key), begun);
    void listen(begun);
    return begun;
  }

  return {
    http,
    at(call, path) {
      const { url: base, headers } = placeOf(call);
      return { url: `${base}${path}`, headers };
    },
    start(given) {
      wake = given;
      return () => {
        wake = undefined;
        for (const each of listened.values()) each.abort.abort(new Error("the controller stops"));
        listened.clear();
        void http.close();
      };
    },
    async state(call) {
      const place = placeOf(call);
      const to = listenedTo(call.cr, place);
      if (to?.report !== undefined) return to.report;
      const { body } = await http.send({ ...place, url: `${place.url}/state`, signal: call.signal });
      // It answers: what changes from now on is to be heard.
      to?.retry.abort();
      return body as SidecarReport;
    },
  };
}

function absent(cr: KubeObject): OperatorError {
  const { kind, metadata } = cr;
  return new OperatorError("SIDECAR_ABSENT", `${kind} ${formatKey(metadata)} has no sidecar at present`, {
    remedy: "Wait until its pod has an address; `url` of createSidecarClient says where that is.",
  });
}

/** Characters of an event that is not whole yet. */
const largestEvent = 65_536;
