// An application that uses the database: it knows what is in the Secret and nothing else.
import type { KubeClient } from "xstate-operator/client";
import { Secret, secretValue } from "xstate-operator/kinds";
import { Client } from "pg";
import type { Database } from "../database/database.ts";
import { keyFor } from "../database/resources/names.ts";

/** A connected application. */
export interface ApplicationClient {
  /** Writes one row. */
  write(customer: string): Promise<void>;
  count(): Promise<number>;
  /** What the server itself says about one of its settings. */
  show(setting: string): Promise<string>;
  /** Where the server keeps its backups. */
  backupFolder(): Promise<string>;
  close(): Promise<void>;
}

/** Connects like an application does. Errors: those of PostgreSQL, for instance when the database admits nobody. */
export async function connectApplication(client: KubeClient, database: Database): Promise<ApplicationClient> {
  const [host, port] = (database.status?.endpoint ?? "").split(":");
  if (host === undefined || port === undefined) throw new Error("the Database has no endpoint");
  const secret = await client.get(Secret, keyFor(database, "-secret"));
  const connection = new Client({
    host,
    port: Number(port),
    user: secretValue(secret, "username") ?? "",
    password: secretValue(secret, "password") ?? "",
    database: secretValue(secret, "database") ?? "",
    application_name: "tour",
    connectionTimeoutMillis: 5_000,
  });
  connection.on("error", () => undefined); // The server may end the connection while nothing is asked.
  await connection.connect();
  await connection.query(
    "CREATE TABLE IF NOT EXISTS orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL)",
  );
  const show = async (setting: string): Promise<string> => {
    const { rows } = await connection.query<{ value: string }>("SELECT current_setting($1) AS value", [
      setting,
    ]);
    return rows[0]?.value ?? "";
  };
  return {
    async write(customer) {
      await connection.query("INSERT INTO orders (customer) VALUES ($1)", [customer]);
    },
    async count() {
      const { rows } = await connection.query<{ count: number }>("SELECT count(*)::int AS count FROM orders");
      return rows[0]?.count ?? 0;
    },
    show,
    backupFolder: () => show("backup.folder"),
    close: () => connection.end(),
  };
}
