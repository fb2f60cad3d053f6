// Declares suites that only the real API server can prove; without its binaries they are skipped, and their name says why.
import { describe } from "vitest";
import { whyNoControlPlane } from "./control-plane.ts";

/** How a suite is declared. */
export interface RealSuiteOptions {
  /** It takes so long on the real API server that it runs there only where LONG_TESTS=all asks for it, as .ci/run does. */
  readonly long?: boolean;
}

/** Declares a suite `… on the real API server`. */
export function describeOnRealApiServer(
  name: string,
  suite: () => void,
  { long = false }: RealSuiteOptions = {},
): void {
  const isAskedFor = !long || process.env["LONG_TESTS"] === "all";
  const why = whyNoControlPlane ?? (isAskedFor ? undefined : "set LONG_TESTS=all");
  const reason = why === undefined ? "" : ` (skipped: ${why})`;
  describe.skipIf(why !== undefined)(`${name} on the real API server${reason}`, suite);
}
