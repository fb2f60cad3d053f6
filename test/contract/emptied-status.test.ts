// A status that somebody empties right after the resource was made, when the task of its first state has just begun.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { jobTask } from "../../src/controller/jobs/job-task.ts";
import { defineController, defineKind, defineOperator, setupLifecycle } from "../../src/index.ts";
import { Job } from "../../src/kinds/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const Forgetful = defineKind({
  group: "emptied.test.example.com",
  version: "v1",
  kind: "Forgetful",
  spec: z.object({}),
  lifecycle: setupLifecycle().createMachine({
    id: "forgetful",
    version: "1",
    initial: "Making",
    states: {
      Making: { invoke: { id: "make", src: "make", onDone: "Made", onError: "HumanIntervention" } },
      Made: {},
    },
  }),
});

describeOnEachApiServer("a status that is emptied in the first second of a resource", (server) => {
  let operator: RunningOperator;
  beforeAll(async () => {
    const definition = defineOperator({
      name: "forgetful-operator",
      controllers: [
        defineController(Forgetful, {
          owns: [Job],
          application: {
            observe: () => ({}),
            poll: "200ms",
            tasks: {
              make: jobTask({
                job: () => ({
                  spec: {
                    // It does not end while this test looks at it, whoever runs Jobs there.
                    suspend: true,
                    template: {
                      spec: {
                        restartPolicy: "Never",
                        containers: [{ name: "make", image: "example.com/make:1" }],
                      },
                    },
                  },
                }),
              }),
            },
          },
        }),
      ],
    });
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true });
  });
  afterAll(() => operator.stop());

  it("starts no second Job: the one that was started is looked for", async () => {
    const key = { namespace: "default", name: "one" };
    await server().client.create(Forgetful, {
      apiVersion: "emptied.test.example.com/v1",
      kind: "Forgetful",
      metadata: key,
      spec: {},
    });
    const jobs = async (): Promise<readonly string[]> =>
      (await server().client.list(Job, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
    await eventually(async () => expect(await jobs()).toHaveLength(1));
    const [job = ""] = await jobs();
    for (let times = 0; times < 3; times += 1) {
      await server().client.patch(
        Forgetful,
        key,
        { type: "json", body: [{ op: "replace", path: "/status", value: {} }] },
        { subresource: "status" },
      );
      await eventually(async () => {
        const { status } = await server().client.get(Forgetful, key);
        expect(Object.values(status?.lifecycle?.tasks ?? {})).toMatchObject([{ key: job, phase: "Running" }]);
      });
      expect(await jobs()).toEqual([job]);
    }
  });
});
