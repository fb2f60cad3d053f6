// Which resource comes after which: what `after` of registry.add says, and otherwise the order of registration. Pure.
import { TerminalError } from "../../ports/operator-error.ts";
import type { RegistryEntry } from "./batch.ts";

/**
 * Finds what the entries come after.
 *
 * **Errors**: `RESOURCE_ORDER_INVALID` for something that is not registered, and for resources that wait for one another; gives up.
 */
export function settleOrder(entries: readonly RegistryEntry[]): void {
  const registered = Map.groupBy(entries, ({ registeredAs }) => registeredAs);
  for (const entry of entries) entry.followers = [];
  for (const entry of entries) {
    entry.after = entry.named.flatMap((each) => {
      const found = registered.get(each);
      if (found !== undefined) return found;
      throw invalid(
        `${entry.resource.kindName} is to be written after ${nameOf(each)}, which is not registered`,
        "Register the very value that after names; a function that makes it again makes another one.",
      );
    });
    for (const each of entry.after) each.followers.push(entry);
  }
  inOrder(entries);
}

/** The entries, each after those that it comes after; else in their order. Errors: `RESOURCE_ORDER_INVALID` for a circle. */
export function inOrder(entries: readonly RegistryEntry[]): readonly RegistryEntry[] {
  const ordered = new Set<RegistryEntry>();
  /** How many of those that an entry comes after are known to be ordered, or not among the given ones. */
  const seen = new Map<RegistryEntry, number>();
  const waiting = new Set<RegistryEntry>();
  const among = new Set(entries);
  const firstUnordered = (entry: RegistryEntry): RegistryEntry | undefined => {
    let at = seen.get(entry) ?? 0;
    for (; at < entry.after.length; at += 1) {
      const each = entry.after[at];
      if (each !== undefined && !ordered.has(each) && among.has(each)) break;
    }
    seen.set(entry, at);
    return entry.after[at];
  };
  // A stack of our own: a chain may be as long as there are resources.
  for (const first of entries) {
    const stack = [first];
    for (let entry = stack.at(-1); entry !== undefined; entry = stack.at(-1)) {
      const next = ordered.has(entry) ? undefined : firstUnordered(entry);
      if (next === undefined) {
        ordered.add(entry);
        waiting.delete(entry);
        stack.pop();
        continue;
      }
      waiting.add(entry);
      if (waiting.has(next)) throw circle(stack.slice(stack.indexOf(next)));
      stack.push(next);
    }
  }
  return [...ordered];
}

function circle(entries: readonly RegistryEntry[]): TerminalError {
  const names = entries.map(({ resource }) => resource.kindName);
  return invalid(
    `${[...names, names[0]].join(" waits for ")}: none of them can be written first`,
    "Leave one of them out of the other's after.",
  );
}

function nameOf(registrable: object): string {
  const { kind, metadata, kindName } = registrable as {
    readonly kind?: unknown;
    readonly metadata?: { readonly name?: string };
    readonly kindName?: unknown;
  };
  if (typeof kindName === "string") return kindName;
  return typeof kind === "string" ? `${kind}/${metadata?.name ?? ""}` : "a resource";
}

function invalid(message: string, remedy: string): TerminalError {
  return new TerminalError("RESOURCE_ORDER_INVALID", message, { remedy });
}
