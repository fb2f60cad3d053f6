// The shortest walk over each edge of a lifecycle: a breadth-first search over what may happen, carried out on the model.
// Searched first by states alone; what is left, with all that the application remembers.
import type { GraphEdge } from "../../statechart/graph.ts";
import { LifecycleModel, type Consequence } from "./lifecycle-model.ts";
import { firstAttempts, nextAttempts, type Attempt } from "./stimuli.ts";
import type { Stimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";
import { isLeft } from "../../lifecycle/tasks/unsuccessful-end.ts";
import { whyNot, type FailedAttempt } from "./why-not.ts";

/** The shortest walk found over one edge. */
export interface Walk {
  readonly edge: GraphEdge;
  readonly steps: readonly Stimulus[];
  /** Where it ends, as the condition names it; undefined before there is a resource. */
  readonly state: string | undefined;
}

/** An edge over which no walk was found. */
export interface UnwalkedEdge {
  readonly edge: GraphEdge;
  /** Why, for people. */
  readonly reason: string;
}

/** What a search found, in the order of the graph's edges. */
export interface FoundWalks {
  readonly walks: readonly Walk[];
  readonly unwalked: readonly UnwalkedEdge[];
}

/** Tries after which a search is given up; a graph with many edges gets more. */
const fewestTries = 4_000;
const triesPerEdge = 60;

interface Place {
  readonly model: LifecycleModel;
  readonly steps: readonly Stimulus[];
}

/** Searches a walk over every edge. The same subject always gives the same walks. */
export function findWalks(subject: Subject, start: number): FoundWalks {
  const search = new WalkSearch(subject, start);
  search.run(placeOf);
  const remembers = Object.keys(subject.lifecycle.initialContext).length > 0;
  // Only a guard reads what is remembered; a state never entered may lie behind one.
  if (remembers && search.isGuarded) search.run(placeWithContextOf);
  return search.found();
}

class WalkSearch {
  readonly #subject: Subject;
  readonly #start: number;
  readonly #edges: readonly GraphEdge[];
  readonly #walks = new Map<GraphEdge, Walk>();
  readonly #failed = new Map<GraphEdge, FailedAttempt[]>();
  readonly #entered = new Set<string>();
  #tries = 0;

  constructor(subject: Subject, start: number) {
    this.#subject = subject;
    this.#start = start;
    this.#edges = subject.lifecycle.index.graph.edges;
  }

  get isComplete(): boolean {
    return this.#walks.size === this.#edges.length;
  }

  /** Whether an edge is left that a guard keeps closed. */
  get isGuarded(): boolean {
    return this.#edges.some((edge) => edge.guard !== undefined && !this.#walks.has(edge));
  }

  run(keyOf: (model: LifecycleModel) => string): void {
    const nowhere = { model: new LifecycleModel(this.#subject, this.#start), steps: [] };
    const seen = new Set<string>();
    const limit = Math.max(fewestTries, triesPerEdge * this.#edges.length);
    this.#tries = 0;
    let frontier: Place[] = [];
    const visit = (from: Place, attempts: readonly Attempt[], next: Place[]): void => {
      for (const attempt of attempts) {
        if (this.isComplete || this.#tries >= limit) return;
        this.#tries += 1;
        const place = this.#try(from, attempt);
        if (place === undefined) continue;
        const key = keyOf(place.model);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(place);
      }
    };
    visit(nowhere, firstAttempts(this.#subject), frontier);
    while (frontier.length > 0 && this.#tries < limit && !this.isComplete) {
      const next: Place[] = [];
      for (const place of frontier) visit(place, nextAttempts(this.#subject, place.model), next);
      frontier = next;
    }
  }

  found(): FoundWalks {
    const unwalked = this.#edges.filter((edge) => !this.#walks.has(edge));
    return {
      walks: this.#edges.flatMap((edge) => this.#walks.get(edge) ?? []),
      unwalked: unwalked.map((edge) => ({
        edge,
        reason: whyNot(this.#subject, edge, {
          entered: this.#entered,
          failed: this.#failed.get(edge) ?? [],
        }),
      })),
    };
  }

  /** The place that an attempt leads to; undefined when it does not come to rest there. */
  #try(from: Place, { stimulus, edge }: Attempt): Place | undefined {
    const model = from.model.fork();
    const consequence = model.apply(stimulus);
    const steps = [...from.steps, stimulus];
    for (const path of [...consequence.states.flatMap((state) => state.split(",")), ...model.leaves]) {
      this.#entered.add(path);
    }
    const state = model.status?.state;
    for (const taken of consequence.edges) {
      if (!this.#walks.has(taken)) this.#walks.set(taken, { edge: taken, steps, state });
    }
    if (edge !== undefined && !consequence.edges.includes(edge)) this.#note(edge, stimulus, consequence);
    return consequence.restless ? undefined : { model, steps };
  }

  #note(edge: GraphEdge, stimulus: Stimulus, { edges, problems, restless }: Consequence): void {
    const failed = this.#failed.get(edge) ?? [];
    if (failed.length === 0) this.#failed.set(edge, failed);
    failed.push({ stimulus, instead: edges[0], problem: problems[0]?.message, restless });
  }
}

/** What tells two places apart: where the application is, what it remembers of its parts, and what is desired. */
function placeOf(model: LifecycleModel): string {
  const { status } = model;
  const {
    state,
    request: _request,
    generation: _generation,
    waiting: _waiting,
    ...target
  } = status?.target ?? {};
  const tasks = Object.entries(status?.tasks ?? {}).map(([id, task]) => [
    isLeft(id, task) ? "" : id,
    task.phase,
    task.delivered,
  ]);
  const timers = Object.entries(status?.timers ?? {}).map(([id, { delivered }]) => [id, delivered]);
  const { notBefore: _notBefore, failures: _failures, ...rest } = target as Record<string, unknown>;
  return JSON.stringify([
    status?.state,
    status?.snapshot.history,
    state,
    rest,
    "notBefore" in target,
    tasks,
    timers,
    model.spec,
  ]);
}

function placeWithContextOf(model: LifecycleModel): string {
  return `${placeOf(model)} ${JSON.stringify(model.status?.snapshot.context)}`;
}
