// Asks a running operator for the last runs of one object, which the cluster does not know: at its health server, on
// loopback or through `kubectl port-forward`.
import { messageOf } from "../../ports/operator-error.ts";
import { recentRunsPath, type RecentRun } from "../../ports/recent-run.ts";

/** What was asked, and what could not be. */
export interface AskedOperator {
  readonly runs?: readonly RecentRun[];
  readonly unknown: readonly string[];
}

/** Milliseconds. */
const patience = 5_000;

/** The last runs, newest first. An operator that does not answer is reported, and is not an error. */
export async function askOperator(
  url: string,
  { kind, key }: { readonly kind: string; readonly key: string },
  signal: AbortSignal,
): Promise<AskedOperator> {
  try {
    const target = new URL(recentRunsPath, url);
    target.searchParams.set("kind", kind);
    target.searchParams.set("object", key);
    const response = await fetch(target, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${(await response.text()).trim()}`);
    const answer: unknown = await response.json();
    if (!Array.isArray(answer)) throw new Error("the response is not a list of runs");
    return { runs: answer as readonly RecentRun[], unknown: [] };
  } catch (error: unknown) {
    signal.throwIfAborted();
    return {
      unknown: [
        `Why it was last reconciled: the operator at ${url} gave no usable answer: ${messageOf(error)}.`,
      ],
    };
  }
}
