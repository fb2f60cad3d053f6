// The lifecycle of a certificate is a file: the graph is data, what its names stand for is here and in controller.ts.
import { readMachine, setupLifecycle } from "xstate-operator";
import type { CertificateSpec } from "./certificate-spec.ts";

const names = setupLifecycle<{ spec: CertificateSpec }>().extend({
  delays: { untilRenewal: ({ event }) => event.spec.renewAfterHours * 3_600_000 },
  guards: { isExpired: ({ event }) => event.facts["expired"] === true },
  actions: { countRenewal: ({ context }) => ({ renewals: Number(context["renewals"]) + 1 }) },
  effects: ["reportFailure"],
  tasks: ["issue", "revoke"],
});

/** Every name in the file must be one of the above; a mistake is reported with its line and column. */
export const certificateLifecycle = readMachine(
  new URL("certificate-lifecycle.yaml", import.meta.url),
  names,
);
