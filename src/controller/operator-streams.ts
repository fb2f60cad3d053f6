// What a program can follow of a running operator, as Observables: the changes of what it watches, and the moves of its
// lifecycles. Made by the manager before anything runs, fed by the cache and the applications.
import { merge, ReplaySubject, Subject, switchMap, throwError, type Observable } from "rxjs";
import type { Change, SharedCache } from "../cache/informer.ts";
import type { KubeObject } from "../meta/object.ts";
import { typeKeyOf, type ResourceType } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { Transition } from "./application/transition.ts";

/** The streams of one operator. They complete when it has stopped. */
export interface OperatorStreams {
  /**
   * The changes of a type that the operator declares (its kinds, `owns`, `reads`, `watches`), in order per object.
   *
   * **Guarantees**: hot: what changes after the subscription. A subscription made in `onStart` also gets what is there at first,
   * each object as `added` with `initial: true`. No request is made for it. Objects are shared and frozen.
   * **Errors**: `CACHE_UNDECLARED` for a type that the operator does not declare.
   */
  changes<T extends KubeObject>(type: ResourceType<T>): Observable<Change<T>>;
  /**
   * The moves of all lifecycles, each once it is persisted; hot. A crash right after a write loses the report of it.
   */
  transitions(): Observable<Transition>;
}

/** {@link OperatorStreams} and what feeds them. */
export interface OpenStreams {
  readonly streams: OperatorStreams;
  /** Gives them the cache, when all controllers have asked it for their informers and before it starts. */
  open(cache: SharedCache): void;
  moved(transition: Transition): void;
  close(): void;
}

/** Makes the streams of an operator. */
export function createOperatorStreams(): OpenStreams {
  const caches = new ReplaySubject<SharedCache>(1);
  const transitions = new Subject<Transition>();
  return {
    streams: {
      changes: (type) => caches.pipe(switchMap((cache) => changesOf(cache, type))),
      transitions: () => transitions.asObservable(),
    },
    open: (cache) => caches.next(cache),
    moved: (transition) => transitions.next(transition),
    close: () => {
      caches.complete();
      transitions.complete();
    },
  };
}

/** From every informer of the type: there is one for each namespace that is served, if any are named. */
function changesOf<T extends KubeObject>(
  { informers }: SharedCache,
  type: ResourceType<T>,
): Observable<Change<T>> {
  const of = informers.filter((informer) => typeKeyOf(informer.type) === typeKeyOf(type));
  if (of.length === 0) {
    return throwError(
      () =>
        new OperatorError("CACHE_UNDECLARED", `the operator does not watch ${type.kind}`, {
          remedy: `Add ${type.kind} to owns or reads of a controller.`,
        }),
    );
  }
  return merge(...of.map(({ changes$ }) => changes$ as Observable<unknown> as Observable<Change<T>>));
}
