// Carries out the synchronous part of a request: at once where nobody has to be asked, else as often as answers are awaited.
import type { Clock } from "../../../ports/clock.ts";
import { answered } from "../awaited-answers.ts";
import type { ApiCore } from "../api-core.ts";
import type { ObjectRequest } from "./object-request.ts";

/** What a write comes to. Errors: those of the part, of admission and of conversion. */
export function carryOut<T>(
  core: ApiCore,
  { type, subresource }: Pick<ObjectRequest, "type" | "subresource">,
  part: (core: ApiCore) => T,
): T | Promise<T> {
  if (type.conversion === undefined && !core.admission.concerns(type, subresource)) return part(core);
  const nextCore = repeatable(core);
  return answered(() => part(nextCore()));
}

/** What a read comes to. Errors: those of the part, and of conversion. */
export function readOut<T>({ type }: Pick<ObjectRequest, "type">, part: () => T): T | Promise<T> {
  return type.conversion === undefined ? part() : answered(part);
}

/** Each call gives a core for one more run: with the same time, identifiers and random numbers, so that it asks the same questions. */
function repeatable(core: ApiCore): () => ApiCore {
  const now = core.clock.now();
  const uids: string[] = [];
  const numbers: number[] = [];
  const clock: Clock = {
    now: () => now,
    setTimeout: (callback, milliseconds) => core.clock.setTimeout(callback, milliseconds),
    clearTimeout: (handle) => core.clock.clearTimeout(handle),
  };
  return () => {
    let uid = 0;
    let number = 0;
    return {
      ...core,
      clock,
      newUid: () => (uids[uid++] ??= core.newUid()),
      random: () => (numbers[number++] ??= core.random()),
    };
  };
}
