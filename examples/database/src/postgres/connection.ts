// Short conversations with the server: connect, ask, leave. Every wait has a limit, and no password is ever in a message.
import { Client, type ClientConfig } from "pg";

/** Where and as whom. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Nobody listens; it starts, or recovers from a crash: in both cases nothing is under way in it. */
const down: readonly string[] = ["ECONNREFUSED", "57P03"];

/** Milliseconds that a connection and each statement may take. */
const patience = 2_000;

/** The server did not answer, or refused. `code` is the system's or PostgreSQL's own. */
export class ServerUnreachable extends Error {
  readonly code: string;

  constructor(address: ServerAddress, error: unknown) {
    const said = error instanceof Error ? error.message : String(error);
    const safe = address.password === "" ? said : said.replaceAll(address.password, "…");
    super(`PostgreSQL at ${address.host}:${address.port}: ${safe}`);
    this.name = "ServerUnreachable";
    const code = (error as { code?: unknown } | null)?.code;
    this.code = typeof code === "string" ? code : "";
  }

  /** Whether the server does not run, as opposed to not being reached. */
  get isDown(): boolean {
    return down.includes(this.code);
  }
}

/** How this example connects: every wait has a limit. */
export function clientOptions(address: ServerAddress): ClientConfig {
  return {
    ...address,
    application_name: "database-operator",
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    statement_timeout: patience,
  };
}

/**
 * Opens a connection, gives it to `work`, and closes it whatever happens; an aborted signal closes it early.
 *
 * **Errors**: {@link ServerUnreachable}, from connecting as from any statement.
 */
export async function withConnection<T>(
  address: ServerAddress,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = new Client(clientOptions(address));
  client.on("error", () => undefined); // A lost connection also rejects the statement under way.
  const close = (): void => void client.end().catch(() => undefined);
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw new ServerUnreachable(address, error);
  } finally {
    signal.removeEventListener("abort", close);
    await client.end().catch(() => undefined);
  }
}

/** The text of a caught value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
