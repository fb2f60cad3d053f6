// The token of the pages that commands serve.
import { expect, it } from "vitest";
import { startDashboardFor } from "../../src/cli/dashboard.ts";
import { startInspection } from "../../src/cli/inspection.ts";
import { knowSecrets } from "../../src/cli/process-secrets.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { lampOperator, lampWorld } from "../fixtures/lamp.ts";

it.each([
  ["the one that the environment gives", "kept-token"],
  ["a random one of its own without", undefined],
  ["a random one of its own instead of an empty one", ""],
])("is %s, for the dashboard and the inspector", async (_, given) => {
  const operator = lampOperator(lampWorld());
  const secrets = await knowSecrets(operator);
  let told = "";
  const terminal = {
    env: given === undefined ? {} : { XSTATE_OPERATOR_TOKEN: given },
    err: (text: string) => void (told += text),
  } as unknown as Terminal;
  const choice = { operator, port: 0, allowEvents: false };
  const dashboard = await startDashboardFor(terminal, choice, silentLogger, secrets);
  const inspector = await startInspection(
    terminal,
    { viewer: "local", port: 0 },
    silentLogger,
    (value) => value,
  );
  await Promise.all([dashboard.close(), inspector.close()]);
  const tokens = [...told.matchAll(/^(?:dashboard|inspector): http:\S*\?token=(\S+)$/gm)].map(
    ([, token]) => token,
  );
  expect(tokens).toHaveLength(2);
  if (given) expect(tokens).toEqual([given, given]);
  else expect(new Set([...tokens, given]).size).toBe(3);
});
