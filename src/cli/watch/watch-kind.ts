// `watch KIND`: all objects of a kind as they live, until Ctrl-C.
import { explain } from "../../explain/explain.ts";
import type { AnyObject } from "../../meta/object.ts";
import type { Clock } from "../../ports/clock.ts";
import { systemRandom } from "../../ports/random.ts";
import type { ClusterKind } from "../cluster-object.ts";
import type { Terminal } from "../terminal.ts";
import { followObjects } from "./follow-objects.ts";
import { jsonKindView, linesKindView, tableView, type KindView } from "./kind-view.ts";

/** Options of {@link watchKind}. */
export interface WatchKindOptions {
  readonly allNamespaces?: boolean;
  readonly output?: "lines" | "json";
}

/** Milliseconds after which ages are shown again. */
const tick = 1_000;

/** Watches a kind in the namespace of the target, or in all of them. */
export async function watchKind(
  terminal: Terminal,
  { client, type, namespace, graph }: ClusterKind,
  options: WatchKindOptions,
  clock: Clock,
): Promise<void> {
  const signal = terminal.stopSignal();
  const { allNamespaces = false } = options;
  const where = type.namespaced && !allNamespaces ? namespace : undefined;
  const followed = followObjects({ client, type, namespace: where, clock, random: systemRandom, signal });
  const view = viewOf(terminal, options, {
    kind: type.kind,
    namespace: where,
    showsNamespace: type.namespaced && allNamespaces,
    hasLifecycle: graph !== undefined,
  });
  const present = new Map<string, AnyObject>();
  const explained = (object: AnyObject, now: number) =>
    explain({
      object,
      type,
      ...(graph === undefined ? {} : { graph }),
      children: [],
      events: followed.eventsOf(object),
      now,
    });
  try {
    while (!signal.aborted) {
      for (const { key, object, isGone } of await followed.next(tick)) {
        const now = clock.now();
        if (isGone) present.delete(key);
        else present.set(key, object);
        view.changed(key, explained(object, now), { isGone, now });
      }
      const now = clock.now();
      const all = [...present].map(([key, object]) => [key, explained(object, now)] as const);
      view.show(new Map(all), { hasSynced: followed.hasSynced, lost: followed.lost, now });
    }
  } finally {
    view.end();
    await followed.closed;
  }
}

function viewOf(
  terminal: Terminal,
  { output }: WatchKindOptions,
  watched: Parameters<typeof tableView>[1],
): KindView {
  if (output === "json") return jsonKindView(terminal);
  return output === "lines" || terminal.screen() === undefined
    ? linesKindView(terminal, watched)
    : tableView(terminal, watched);
}
