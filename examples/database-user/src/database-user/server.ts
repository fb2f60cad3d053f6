// Conversations with the server of a DatabaseUser: connect, ask, leave. No password is in a message, or in the text of a statement.
import { RequeueError, type HookContext } from "xstate-operator";
import { Secret, secretValue } from "xstate-operator/kinds";
import { Client } from "pg";
import type { DatabaseUser } from "./database-user.ts";

/** Milliseconds that a connection and each statement may take. */
const patience = 5_000;

/** The mark on what is ours in the server, and whose it is; what has none, or another one, is left alone. */
export function markOf({ metadata }: DatabaseUser): string {
  return `database-user-operator/${metadata.uid}`;
}

/** Opens a connection as the administrator, gives it to `work` in a transaction, and closes it whatever happens. */
export async function withServer<T>(
  { cr, lookUp, signal }: HookContext<DatabaseUser>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { namespace } = cr.metadata;
  const secret = lookUp(Secret, { namespace, name: cr.spec.server });
  if (secret === undefined)
    throw new RequeueError("SERVER_UNKNOWN", `there is no Secret ${cr.spec.server}`, 10_000);
  signal.throwIfAborted();
  const client = new Client({
    host: secretValue(secret, "host") ?? "",
    port: Number(secretValue(secret, "port") ?? "5432"),
    user: secretValue(secret, "username") ?? "",
    password: secretValue(secret, "password") ?? "",
    database: secretValue(secret, "database") ?? "",
    application_name: "database-user-operator",
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    statement_timeout: patience,
  });
  client.on("error", () => undefined); // A lost connection also rejects the statement under way.
  const close = (): void => void client.end().catch(() => undefined);
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    await client.query("BEGIN");
    const found = await work(client);
    await client.query("COMMIT");
    return found;
  } finally {
    signal.removeEventListener("abort", close);
    await client.end().catch(() => undefined);
  }
}
