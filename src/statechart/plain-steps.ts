// Steps of a machine that are made once: those in which no function of an author is asked depend on nothing but where the machine is and on
// the type of the event. Kept by statechart.ts, which makes the others each time.
import type { Leaves } from "./configuration.ts";

/** Steps that are remembered of one machine; its graph has fewer, unless parallel states multiply them. */
const mostSteps = 4_096;

/** Actions of XState's own that ask nothing, or of whose functions the caller hears. */
const heard: ReadonlySet<string> = new Set(["xstate.assign"]);

/** Where a machine is. */
interface Place {
  readonly leaves: Leaves;
  readonly context: unknown;
  readonly history?: object;
}

/** What one step has led to. */
interface StepTo {
  readonly position: Place;
}

/** A step that was made. */
export interface MadeStep<TStep> {
  readonly step: TStep | undefined;
  /** Whether the context is what it was before. */
  readonly keepsContext: boolean;
}

/** The steps of one machine that are remembered. */
export class PlainSteps<TStep extends StepTo> {
  /** By event and place; undefined where the event leads nowhere. */
  readonly #steps = new Map<string, TStep | undefined>();
  #first: TStep | undefined;
  readonly #isPlain: boolean;
  readonly #hasAsked: () => boolean;

  /** `asking`: whether steps may ask functions of which the caller does not hear; `hasAsked`: whether the last one has asked another. */
  constructor(asking: boolean, hasAsked: () => boolean) {
    this.#isPlain = !asking;
    this.#hasAsked = hasAsked;
  }

  /** The initial step of a machine whose first context is always the same. */
  begin(make: () => TStep): TStep {
    if (this.#first !== undefined) return this.#first;
    const step = make();
    if (this.#isPlain && !this.#hasAsked()) this.#first = step;
    return step;
  }

  /** The step from there, made by `make` if it is not remembered. */
  take(position: TStep["position"], type: string, make: () => MadeStep<TStep>): TStep | undefined {
    if (!this.#isPlain) return make().step;
    const { leaves, history, context } = position;
    const place = placeOf(type, leaves, history);
    if (this.#steps.has(place)) return withContext(this.#steps.get(place), context);
    const { step, keepsContext } = make();
    if (keepsContext && !this.#hasAsked() && this.#steps.size < mostSteps) this.#steps.set(place, step);
    return step;
  }
}

function placeOf(type: string, leaves: Leaves, history: Place["history"]): string {
  const place = `${type} ${leaves.join(",")}`;
  return history === undefined ? place : `${place} ${JSON.stringify(history)}`;
}

function withContext<TStep extends StepTo>(step: TStep | undefined, context: unknown): TStep | undefined {
  return step && { ...step, position: { ...step.position, context } };
}

/**
 * Whether a configuration, or an action that it names, has functions besides those of guards, inputs, outputs and `assign`: XState asks them
 * while it makes a step, and the caller does not hear of it.
 */
export function asksUnheard(config: unknown, actions: Readonly<Record<string, unknown>>): boolean {
  return isAsking(config) || Object.values(actions).some(isAsking);
}

/** Fields that no step asks, or whose functions are heard. */
const passedOver: ReadonlySet<string> = new Set(["context", "src", "types", "schemas", "assignment"]);

function isAsking(value: unknown): boolean {
  const isObject = typeof value === "object" && value !== null;
  if (!isObject && typeof value !== "function") return false;
  const { type, params } = value as { readonly type?: unknown; readonly params?: unknown };
  if (typeof params === "function") return true;
  if (typeof type === "string" && type.startsWith("xstate.") && !heard.has(type)) return true;
  if (!isObject) return false;
  return Object.entries(value).some(([name, inner]) => !passedOver.has(name) && isAsking(inner));
}
