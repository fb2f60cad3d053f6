// Carries out the synchronous part of a request: at once where nobody has to be asked, else as often as answers are awaited.
import type { ApiCore } from "../api-core.ts";
import { withAnswers } from "../awaited-answers.ts";
import type { GatedRequest } from "./admission-gate.ts";

/** What a part of a request comes to. Errors: those of the part, and of admission. */
export function admitted<T>(
  core: ApiCore,
  { type, subresource }: Pick<GatedRequest, "type" | "subresource">,
  part: (core: ApiCore) => T,
): T | Promise<T> {
  return core.admission.concerns(type, subresource) ? withAnswers(core, part) : part(core);
}
