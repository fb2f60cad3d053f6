// Declares suites that only the real API server can prove; without its binaries they are skipped, and their name says why.
import { describe } from "vitest";
import { whyNoControlPlane } from "./control-plane.ts";

/** Declares a suite `… on the real API server`. */
export function describeOnRealApiServer(name: string, suite: () => void): void {
  const reason = whyNoControlPlane === undefined ? "" : ` (skipped: ${whyNoControlPlane})`;
  describe.skipIf(whyNoControlPlane !== undefined)(`${name} on the real API server${reason}`, suite);
}
