import { expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { LeadershipTerm, momentOf } from "../../src/election/leadership-term.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { createShardFence } from "../../src/sharding/shard-fence.ts";

const refused = (status: number): ApiError =>
  new ApiError("no", { status, reason: "", details: {}, retryAfter: undefined, request: "PATCH a" });

it.each([
  ["unanswered", "whose connection was lost", new OperatorError("CONNECTION_FAILED", "reset")],
  ["unanswered", "that a server in trouble has answered", refused(503)],
  ["answered", "that was refused", refused(409)],
  ["answered", "that was carried out", undefined],
] as const)("ends %s: a write of a run %s", async (outcome, _, error) => {
  const term = new LeadershipTerm({ clock: systemClock, length: 60_000, name: "a", identity: "me" });
  term.extend(momentOf(systemClock));
  const steps: string[] = [];
  const fence = createShardFence(term, {
    isOpen: true,
    writeBegins: () => void steps.push("begins"),
    writeEnds: (end) => void steps.push(end),
    leave: () => undefined,
  });
  const written = fence.write("patch a", undefined, () =>
    error === undefined ? Promise.resolve() : Promise.reject(error),
  );
  await (error === undefined ? written : expect(written).rejects.toBe(error));
  // The slot is kept for as long as an unanswered one may take effect: see SlotTable.
  expect(steps).toEqual(["begins", outcome]);
  term.endByResignation();
});
