// A lifecycle whose end needs a Job, in a namespace that is deleted as a whole: nothing can be created there any more, and
// nothing may keep the namespace from going.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { isNotFound } from "../../src/client/index.ts";
import { jobTask } from "../../src/controller/jobs/job-task.ts";
import { defineController, defineKind, defineOperator, setupLifecycle } from "../../src/index.ts";
import { Job, Namespace } from "../../src/kinds/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const lifecycle = setupLifecycle().createMachine({
  id: "shelf",
  version: "1",
  initial: "New",
  states: {
    New: { on: { "observed.Full": "Full" } },
    Full: { on: { "desired.End": "Emptying" } },
    Emptying: { invoke: { id: "empty", src: "empty", onDone: "End", onError: "HumanIntervention" } },
    HumanIntervention: { tags: "intervention", on: { "desired.End": "Emptying", "human.retry": "Full" } },
    End: { type: "final" },
  },
});

const Shelf = defineKind({
  group: "going.test.example.com",
  version: "v1",
  kind: "Shelf",
  spec: z.object({}),
  lifecycle,
});

describeOnEachApiServer(
  "a lifecycle that ends while its namespace is being deleted",
  (server) => {
    let operator: RunningOperator;
    const moves: string[] = [];
    const shelves = defineOperator({
      name: "shelf-operator",
      controllers: [
        defineController(Shelf, {
          owns: [Job],
          application: {
            observe: () => ({ state: "Full" }),
            tasks: {
              empty: jobTask({
                job: () => ({
                  spec: {
                    template: {
                      spec: {
                        restartPolicy: "Never",
                        containers: [{ name: "empty", image: "example.com/empty:1" }],
                      },
                    },
                  },
                }),
                retry: { attempts: 3 },
              }),
            },
          },
        }),
      ],
    });
    beforeAll(async () => {
      operator = await startOperator(shelves, server().kubeconfig, { installCrds: true });
    });
    afterAll(() => operator.stop());

    it("fails the task at once, ends by no more than the edge it has for that, and lets the namespace go", async () => {
      const name = "shelves";
      const { client } = server();
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      const key = { namespace: name, name: "one" };
      const shelf = { apiVersion: "going.test.example.com/v1", kind: "Shelf", metadata: key, spec: {} };
      await client.create(Shelf, shelf);
      await eventually(async () =>
        expect((await client.get(Shelf, key)).status?.lifecycle?.state).toBe("Full"),
      );
      await client.delete(Namespace, { name });
      await eventually(() => expect(client.get(Shelf, key)).rejects.toSatisfy(isNotFound));
      await eventually(() => expect(client.get(Namespace, { name })).rejects.toSatisfy(isNotFound));
      for (const { message, fields } of operator.lines) {
        if (message === "lifecycle state changed")
          moves.push(`${String(fields["from"])} ${String(fields["to"])}`);
      }
      expect(moves.slice(-3)).toEqual([
        "Full Emptying",
        "Emptying HumanIntervention",
        "HumanIntervention End",
      ]);
    });
  },
  { real: { controllers: "namespace-controller,garbage-collector-controller" } },
);
