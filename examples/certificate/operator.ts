// A certificate whose lifecycle is a file: the graph is data, what its names stand for is here.
import {
  defineController,
  defineKind,
  defineOperator,
  readMachine,
  setupLifecycle,
  type InstanceOf,
} from "xstate-operator";
import { jobTask } from "xstate-operator/jobs";
import { Job } from "xstate-operator/kinds";
import { z } from "zod";

const spec = z.object({
  domain: z.string(),
  renewAfterHours: z.number().positive().default(1_440).describe("Then a new one is asked for."),
});

const names = setupLifecycle<{ spec: z.output<typeof spec> }>().extend({
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

export const Certificate = defineKind({
  group: "pki.example.com",
  version: "v1",
  kind: "Certificate",
  spec,
  lifecycle: certificateLifecycle,
});

/** Asks the authority, by a program of one's own. */
function ask(request: "issue" | "revoke") {
  return jobTask<InstanceOf<typeof Certificate>>({
    job: ({ cr }) => ({
      spec: {
        backoffLimit: 0,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [
              { name: "ask", image: "example.com/authority-client:1", args: [request, cr.spec.domain] },
            ],
          },
        },
      },
    }),
    timeout: "10m",
    retry: { attempts: 3, delay: "30s" },
  });
}

export default defineOperator({
  name: "certificate-operator",
  controllers: [
    defineController(Certificate, {
      owns: [Job],
      application: {
        observe: () => ({ facts: { expired: false } }),
        tasks: { issue: ask("issue"), revoke: ask("revoke") },
        actions: {
          reportFailure: ({ cr, log }) => log.warn({ domain: cr.spec.domain }, "the renewal failed"),
        },
        poll: "1h",
      },
    }),
  ],
});
