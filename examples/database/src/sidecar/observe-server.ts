// How the server is, in a word and some facts; asked every second, over a connection that is held.
import type { SidecarState } from "xstate-operator/sidecar";
import { messageOf } from "../postgres/connection.ts";
import type { HeldConnection } from "../postgres/held-connection.ts";
import { askConfiguration, askHealth, readLastBackup } from "../postgres/questions.ts";
import { applicationDatabase, textDigest } from "../postgres/settings.ts";
import type { ServerFacts } from "./server-facts.ts";

/** `Running`, `Closed` (nobody new is let in), `Recovering` (it replays its log) or `Down`, with the reason. */
export async function observeServer(connection: HeldConnection): Promise<SidecarState> {
  try {
    return await connection.ask(async (client) => {
      const { inRecovery, open, version } = await askHealth(client, applicationDatabase);
      const { text, loaded } = await askConfiguration(client);
      const lastBackup = await readLastBackup(client);
      const facts: ServerFacts = {
        version,
        configuration: { digest: textDigest(text), loaded },
        ...(lastBackup === undefined ? {} : { lastBackup }),
      };
      return { state: inRecovery ? "Recovering" : open ? "Running" : "Closed", facts };
    });
  } catch (error) {
    return { state: "Down", facts: { reason: messageOf(error) } };
  }
}
