// The program beside the server, in its pod: it says how the server is, and takes its backups, for the operator that asks.
// It knows nothing of Kubernetes. The passwords are in files, which no list of processes shows.
//
// POD_IP, PGPORT, SIDECAR_PORT, SECRET_FOLDER, BACKUP_FOLDER, RECORDS_FOLDER
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startSidecar, type Sidecar } from "xstate-operator/sidecar";
import { HeldConnection } from "../postgres/held-connection.ts";
import { observeServer } from "./observe-server.ts";
import { backupRequest, takeBackup } from "./take-backup.ts";

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`the environment variable ${name} is not set`);
  return value;
}

async function main(): Promise<Sidecar> {
  const host = required("POD_IP");
  const secrets = required("SECRET_FOLDER");
  const backups = required("BACKUP_FOLDER");
  const address = {
    host,
    port: Number(required("PGPORT")),
    user: "postgres",
    password: (await readFile(join(secrets, "superuser-password"), "utf8")).trim(),
    database: "postgres",
  };
  // A server that ends its connections is asked again at once.
  const connection = new HeldConnection(address, () => sidecar.changed());
  const sidecar: Sidecar = await startSidecar({
    host,
    port: Number(required("SIDECAR_PORT")),
    tokenFile: join(secrets, "sidecar-token"),
    directory: required("RECORDS_FOLDER"),
    state: () => observeServer(connection),
    tasks: {
      backup: async (call) => {
        const request = backupRequest.parse(call.input);
        const marker = await takeBackup(request, { folder: backups, address, connection, ...call });
        // The newest backup is a fact of the state.
        sidecar.changed();
        return marker;
      },
    },
    maxTasks: 1,
    grace: "5s",
  });
  return sidecar;
}

try {
  const sidecar = await main();
  console.log(`the sidecar answers at ${sidecar.url}`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void sidecar.stop().finally(() => process.exit(0)));
  }
} catch (error) {
  console.error(`the sidecar has failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
