// The controller of certificates: the authority is asked by Jobs.
import { defineController } from "xstate-operator";
import { jobTask } from "xstate-operator/jobs";
import { Job } from "xstate-operator/kinds";
import { Certificate } from "./certificate.ts";

export const certificateController = defineController(Certificate, {
  owns: [Job],
  // Jobs are made by the tasks alone.
  permissions: [{ type: Job, verbs: ["create", "delete"] }],
  application: {
    observe: () => ({ facts: { expired: false } }),
    tasks: { issue: ask("issue"), revoke: ask("revoke") },
    actions: {
      reportFailure: ({ cr, log }) => log.warn({ domain: cr.spec.domain }, "the renewal failed"),
    },
    poll: "1h",
  },
});

/** Asks the authority, by a program of one's own. */
function ask(request: "issue" | "revoke") {
  return jobTask<Certificate>({
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
