// What the version before the names of today would have stored of the same lifecycle.
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { fingerprintOfJson } from "../../src/lifecycle/values/fingerprint.ts";

/** The status under the names that the earlier version wrote. */
export function inFormerWords(status: LifecycleStatus): Record<string, unknown> {
  const { target, digest: _digest, ...rest } = status;
  const { reached, entered, ...wanted } = target;
  const wish = { ...wanted, fulfilled: reached, ...(entered === undefined ? {} : { reached: entered }) };
  const former = <T extends { readonly delivered?: boolean }>(records: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(records).map(([id, { delivered, ...record }]) => [
        id,
        { ...record, ...(delivered === undefined ? {} : { told: delivered }) },
      ]),
    );
  const tasks = former(rest.tasks);
  const timers = former(rest.timers);
  const { snapshot, config, paused } = rest;
  const digest = fingerprintOfJson({ wish, snapshot, tasks, timers, config, paused });
  return { ...rest, wish, tasks, timers, digest };
}
