// The Secret with the passwords and with what an application needs to connect. The passwords are made once: a Secret
// that exists keeps the ones it has.
import { randomBytes } from "node:crypto";
import type { ManifestOf } from "xstate-operator";
import { secretValue, type Secret } from "xstate-operator/kinds";
import type { Database } from "../database.ts";
import { applicationDatabase } from "../../postgres/settings.ts";
import { keyFor, labelsOf } from "./names.ts";

/** The Secret of a Database, given the one on the cluster if there is one. */
export function databaseSecret(
  database: Database,
  existing: Secret | undefined,
  makePassword: () => string = randomPassword,
): ManifestOf<Secret> {
  const key = keyFor(database);
  const keep = (name: string): string => (existing && secretValue(existing, name)) ?? makePassword();
  const values = {
    "superuser-password": keep("superuser-password"),
    "sidecar-token": keep("sidecar-token"),
    password: keep("password"),
    username: applicationDatabase,
    database: applicationDatabase,
    host: `${key.name}.${key.namespace}.svc`,
    port: String(database.spec.port),
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...keyFor(database, "-secret"), labels: labelsOf(database) },
    type: "Opaque",
    data: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
    ),
  };
}

/** 192 random bits, in characters that need no quoting anywhere. */
function randomPassword(): string {
  return randomBytes(24).toString("base64url");
}
