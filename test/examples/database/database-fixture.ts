// A Database as the API server would return it, for tests of the example's pure parts.
import type { Database } from "../../../examples/database/src/database/database.ts";

/** How many adjacent ports a Database needs: the server's, and its sidecar's next to it. */
export const databasePorts = 2;

/** What a test wants to be different. */
export interface DatabaseFixture {
  readonly spec?: Partial<Database["spec"]>;
  readonly status?: Database["status"];
  readonly deletionTimestamp?: string;
}

/** The Database `shop/orders`, one hour after midnight of 2026-01-01. */
export function databaseFixture(fixture: DatabaseFixture = {}): Database {
  return {
    apiVersion: "data.example.com/v1",
    kind: "Database",
    metadata: {
      name: "orders",
      namespace: "shop",
      uid: "5f0c0c44-0000-4000-8000-000000000001",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(fixture.deletionTimestamp === undefined ? {} : { deletionTimestamp: fixture.deletionTimestamp }),
    },
    spec: {
      storage: "1Gi",
      port: 5432,
      maxConnections: 50,
      parameters: {},
      backupMaxRate: 0,
      drainSeconds: 30,
      deletionPolicy: "Retain",
      ...fixture.spec,
    },
    ...(fixture.status === undefined ? {} : { status: fixture.status }),
  };
}
