import { describe, expect, it } from "vitest";
import { databaseConfig } from "../../../examples/database/src/database/resources/config.ts";
import { databaseSecret } from "../../../examples/database/src/database/resources/secret.ts";
import { databaseSet, sidecarPort } from "../../../examples/database/src/database/resources/server.ts";
import { databaseService } from "../../../examples/database/src/database/resources/service.ts";
import { databaseFixture } from "./database-fixture.ts";

const database = databaseFixture();
const decode = (data: Readonly<Record<string, string>> | undefined, key: string): string =>
  Buffer.from(data?.[key] ?? "", "base64").toString();

describe("the Secret of a Database", () => {
  const existing = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "orders-secret",
      namespace: "shop",
      uid: "1",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    data: {
      password: Buffer.from("kept").toString("base64"),
      "superuser-password": Buffer.from("kept too").toString("base64"),
      "sidecar-token": Buffer.from("kept as well").toString("base64"),
    },
  };

  it("gets passwords of its own when there is none yet", () => {
    let count = 0;
    const { data } = databaseSecret(database, undefined, () => `made ${(count += 1)}`);
    const made = ["superuser-password", "sidecar-token", "password"].map((key) => decode(data, key));
    expect(made).toEqual(["made 1", "made 2", "made 3"]);
    expect(decode(data, "host")).toBe("orders.shop.svc");
  });

  it("keeps the passwords of the one that exists", () => {
    const { data } = databaseSecret(database, existing, () => expect.unreachable("a password was made"));
    expect([decode(data, "superuser-password"), decode(data, "password")]).toEqual(["kept too", "kept"]);
  });

  it("makes long passwords that differ", () => {
    const { data } = databaseSecret(database, undefined);
    expect(decode(data, "password")).toMatch(/^[\w-]{32}$/);
    expect(data?.["password"]).not.toBe(data?.["superuser-password"]);
  });
});

describe("the StatefulSet of a Database", () => {
  it("runs one pod as a user that is not root", () => {
    const { replicas, template } = databaseSet(database).spec;
    expect(replicas).toBe(1);
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65534 });
  });

  it.each(["Start", "Running", "Servicing", "Stopping", "HumanIntervention"])(
    "keeps its pod in %s",
    (state) => {
      expect(databaseSet(databaseFixture({ status: { lifecycle: { state } } })).spec.replicas).toBe(1);
    },
  );

  it("has no pod once the life has ended", () => {
    expect(databaseSet(databaseFixture({ status: { lifecycle: { state: "End" } } })).spec.replicas).toBe(0);
  });

  it("keeps the volumes of a deleted Database, or not, as its policy says", () => {
    const policyOf = (deletionPolicy: "Retain" | "Delete") =>
      databaseSet(databaseFixture({ spec: { deletionPolicy } })).spec.persistentVolumeClaimRetentionPolicy;
    expect(policyOf("Retain")).toEqual({ whenDeleted: "Retain", whenScaled: "Retain" });
    expect(policyOf("Delete")).toEqual({ whenDeleted: "Delete", whenScaled: "Retain" });
  });

  it("is rolled when the configuration changes, and only then", () => {
    const annotationsOf = (each: typeof database) => databaseSet(each).spec.template.metadata?.annotations;
    const changed = databaseFixture({ spec: { parameters: { work_mem: "8MB" } } });
    const other = databaseFixture({ spec: { drainSeconds: 5 } });
    expect(annotationsOf(changed)).not.toEqual(annotationsOf(database));
    expect(annotationsOf(other)).toEqual(annotationsOf(database));
  });

  it("keeps every password out of what others may read", () => {
    const { data } = databaseSecret(database, undefined, () => "topsecret");
    expect(JSON.stringify(data)).toContain(Buffer.from("topsecret").toString("base64"));
    const others = JSON.stringify([
      databaseSet(database),
      databaseConfig(database),
      databaseService(database),
    ]);
    expect(others).not.toContain("topsecret");
  });
});

describe("the sidecar of a server", () => {
  const { containers, volumes = [] } = databaseSet(database).spec.template.spec;
  const [server, sidecar] = containers;

  it("knows where the server is and where it listens itself, and gets the secrets as files", () => {
    const env = Object.fromEntries((sidecar?.env ?? []).map(({ name, ...value }) => [name, value]));
    expect(env).toMatchObject({
      POD_IP: { valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      PGPORT: { value: String(database.spec.port) },
      SIDECAR_PORT: { value: String(sidecarPort(database)) },
    });
    expect(JSON.stringify(env)).not.toContain("secretKeyRef");
    expect(sidecar?.ports?.[0]?.containerPort).toBe(sidecarPort(database));
  });

  it("has the volume that the server writes its backups to, and its own records, which outlive it", () => {
    const named = (container: typeof server): (string | undefined)[] =>
      (container?.volumeMounts ?? []).map(({ name }) => name);
    expect(named(server)).toContain("backups");
    expect(named(sidecar)).toEqual(["backups", "secret", "records"]);
    expect(volumes).toContainEqual({ name: "records", emptyDir: {} });
  });
});
