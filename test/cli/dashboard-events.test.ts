// Human events that are sent from the dashboard of a running operator, by several people at once.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startDashboardFor, type RunningDashboard } from "../../src/cli/dashboard.ts";
import { knowSecrets } from "../../src/cli/process-secrets.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { Lamp, lampOperator, lampWorld } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

describeOnEachApiServer("the dashboard of an operator that allows events", (server) => {
  const key = { namespace: "default", name: "hall" };
  let operator: RunningOperator;
  let dashboard: RunningDashboard;
  let address = "";

  beforeAll(async () => {
    const definition = lampOperator(lampWorld());
    const secrets = await knowSecrets(definition);
    const terminal = { env: {}, err: (text: string) => void (address += text) } as unknown as Terminal;
    const choice = { operator: definition, port: 0, allowEvents: true };
    dashboard = await startDashboardFor(terminal, choice, silentLogger, secrets);
    operator = await startOperator(definition, server().kubeconfig, {
      installCrds: true,
      ...dashboard.options,
    });
    const spec = { lifecycle: { desiredState: "Polishing" } };
    const manifest = { apiVersion: apiVersionOf(Lamp), kind: "Lamp", metadata: key, spec };
    await server().client.create(Lamp, manifest);
    await eventually(async () => expect((await status())?.lifecycle?.state).toBe("Polishing"));
  });
  afterAll(async () => {
    await operator.stop();
    await dashboard.close();
  });

  const status = async () => (await server().client.get(Lamp, key)).status;

  async function send(event: string): Promise<readonly [number, unknown]> {
    const url = new URL(address.replace("dashboard: ", "").trim());
    url.pathname = "/api/event";
    const answer = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ ...key, kind: "Lamp", event }),
    });
    return [answer.status, await answer.json()];
  }

  it("passes on every one of those that are sent at the same moment, one after the other", async () => {
    const events = ["abort", "pause", "no-such-event"];
    const answers = await Promise.all(events.map((event) => send(event)));
    expect(answers).toEqual(events.map((event) => [200, { sent: event }]));
    // Whichever came first, the operator has dealt with each of them once.
    await eventually(async () => {
      const { items } = await server().client.list(KubernetesEvent, { namespace: key.namespace });
      const told = items
        .filter(({ reason }) => reason?.startsWith("HumanEvent") === true)
        .map(({ note, reason }) => `${note?.split(" ")[0]} ${reason}`)
        .toSorted();
      expect(told).toEqual([
        expect.stringMatching(/^abort HumanEvent(Accepted|Refused)$/),
        "no-such-event HumanEventRefused",
        "pause HumanEventAccepted",
      ]);
    });
    await eventually(async () => {
      expect((await server().client.get(Lamp, key)).metadata.annotations ?? {}).toEqual({});
    });
  });
});
