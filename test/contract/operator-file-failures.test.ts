// Operators without code whose expressions fail at run time, and whose children belong to states: as a cluster shows it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { isNotFound } from "../../src/client/index.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

/** `note` is what is remembered of the spec once a task is done; `onError` what is drawn for its failure. */
const written = ({ note, onError = "" }: { readonly note: string; readonly onError?: string }) => {
  const { operator, problems } = readOperatorText(
    `operator: keeper
kinds:
  - group: failures.example.com
    version: v1
    kind: Keep
    spec: { properties: { note: { type: string } } }
    lifecycle:
      initial: Empty
      states:
        Empty: { on: { observed.Open: { target: Filled, actions: fill } } }
        Filled: { tags: stable, on: { desired.Saving: Saving, observed.Leaking: Lost, desired.End: End } }
        Saving: { invoke: { src: save, onDone: { target: Filled, actions: note }${onError} } }
        Lost: { tags: failure, on: { human.retry: Filled } }
        End: { type: final }
    observe: { states: [{ state: Open, when: "\${ state == 'Empty' }" }] }
    actions:
      fill: { by: nobody }
      note: { note: "${note}" }
    tasks: { save: { event: { reason: Saved, message: it is saved } } }
    children:
      - in: [Filled, Saving]
        manifest:
          apiVersion: v1
          kind: ConfigMap
          metadata: { name: "\${ metadata.name }" }
          data: { state: "\${ state }", by: "\${ context.by }" }
      - in: [Saving]
        manifest:
          apiVersion: v1
          kind: ConfigMap
          metadata: { name: "\${ metadata.name }-by-\${ context.by }" }
`,
    "keeper.yaml",
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return operator!;
};

const failing = "${ spec.note }";
const mended = "${ spec.?note.orValue('none') }";
const told =
  /keeper\.yaml:\d+:\d+: kinds\.0\.actions\.note\.note: \$\{ spec\.note \} cannot be evaluated: No such key: note/;

describeOnEachApiServer("an operator without code", (server) => {
  const type = written({ note: mended }).controllers[0]!.kind as unknown as ResourceType<AnyObject>;
  let running: RunningOperator | undefined;
  const run = async (operator: ReturnType<typeof written>): Promise<void> => {
    await running?.stop();
    running = await startOperator(operator, server().kubeconfig, { installCrds: true });
  };
  const watching = new AbortController();
  /** What each version of a child has said. */
  const versions: string[] = [];
  let watched: Promise<void> | undefined;
  beforeAll(async () => {
    const { client } = server();
    watched = (async () => {
      try {
        for await (const event of client.watch(ConfigMap, { signal: watching.signal })) {
          if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
          const { metadata, data } = event.object;
          versions.push(`${metadata.name} ${data?.["state"]} ${data?.["by"]}`);
        }
      } catch (error) {
        if (!watching.signal.aborted) throw error;
      }
    })();
    await run(written({ note: failing }));
  });
  afterAll(async () => {
    watching.abort();
    await watched;
    await running?.stop();
  });

  const keyOf = (name: string) => ({ namespace: "default", name });
  const create = async (name: string, desiredState?: string): Promise<void> => {
    const apiVersion = "failures.example.com/v1";
    const spec = desiredState === undefined ? {} : { lifecycle: { desiredState } };
    await server().client.create(type, { apiVersion, kind: "Keep", metadata: keyOf(name), spec });
  };
  const statusOf = async (name: string) =>
    (await server().client.get(type, keyOf(name)))["status"] as {
      readonly conditions?: Parameters<typeof findCondition>[0];
      readonly lifecycle?: { readonly state?: string };
    };
  const reached = (name: string, state: string) =>
    eventually(async () => {
      const status = await statusOf(name);
      expect(status.lifecycle).toMatchObject({ state });
      return status;
    });
  const gone = (name: string) =>
    eventually(() => expect(server().client.get(type, keyOf(name))).rejects.toSatisfy(isNotFound));

  it("renders children of states as the move has left state and context, and not before", async () => {
    await create("chest");
    await reached("chest", "Filled");
    await eventually(() => expect(versions).toContain("chest Filled nobody"));
    expect(versions.filter((each) => each.startsWith("chest "))).toEqual(["chest Filled nobody"]);
    const { items } = await server().client.list(KubernetesEvent, { namespace: "default" });
    expect(items.filter(({ reason }) => reason === "ReconcileFailed")).toEqual([]);
  });

  it("tells where an expression fails, deletes all the same, and goes on by itself once it is mended", async () => {
    await create("box", "Saving");
    await create("crate", "Saving");
    const { conditions } = await eventually(async () => {
      const status = await statusOf("box");
      expect(findCondition(status.conditions, "Stalled")?.message).toMatch(told);
      return status;
    });
    expect(findCondition(conditions, "Lifecycle")).toMatchObject({ reason: "Saving", status: "False" });
    expect(findCondition(conditions, "LifecycleProblem")?.message).toMatch(/spec\.\?note\.orValue\(…\)/);
    await eventually(async () => {
      const { items } = await server().client.list(KubernetesEvent, { namespace: "default" });
      const notes = items.filter(({ regarding }) => regarding?.name === "box").map(({ note }) => note);
      expect(notes.find((note) => told.test(note ?? ""))).toBeDefined();
    });
    const line = running?.lines.find(({ message }) => message === "lifecycle problem");
    expect(line?.fields).toMatchObject({ where: expect.stringMatching(/^keeper\.yaml:\d+:\d+$/) as string });
    expect(versions).toContain("box-by-nobody undefined undefined");
    await server().client.delete(type, keyOf("crate"));
    await gone("crate");
    await run(written({ note: mended }));
    await eventually(async () => {
      const { lifecycle } = await statusOf("box");
      expect(lifecycle).toMatchObject({ state: "Filled", snapshot: { context: { note: "none" } } });
    });
    expect(findCondition((await statusOf("box")).conditions, "Stalled")).toBeUndefined();
    await eventually(() =>
      expect(server().client.get(ConfigMap, keyOf("box-by-nobody"))).rejects.toSatisfy(isNotFound),
    );
  });

  it("takes the edge that is drawn for a failure", async () => {
    await run(written({ note: failing, onError: ", onError: Lost" }));
    await create("bag", "Saving");
    const { conditions } = await reached("bag", "Lost");
    expect(findCondition(conditions, "Lifecycle")).toMatchObject({ status: "False", reason: "Lost" });
    await server().client.delete(type, keyOf("bag"));
    await gone("bag");
  });
});
