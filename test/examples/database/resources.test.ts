import { describe, expect, it } from "vitest";
import { backupJob } from "../../../examples/database/backup/backup-job.ts";
import { databaseConfig } from "../../../examples/database/resources/config.ts";
import { databaseSecret } from "../../../examples/database/resources/secret.ts";
import { databaseSet } from "../../../examples/database/resources/server.ts";
import { databaseService } from "../../../examples/database/resources/service.ts";
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
    },
  };

  it("gets passwords of its own when there is none yet", () => {
    let count = 0;
    const { data } = databaseSecret(database, undefined, () => `made ${(count += 1)}`);
    expect([decode(data, "superuser-password"), decode(data, "password")]).toEqual(["made 1", "made 2"]);
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

describe("the Job of a backup", () => {
  const job = backupJob(databaseFixture({ spec: { backupMaxRate: 8192 } }), {
    key: "backup-3-1-0123456789abcdef",
    host: "127.1.2.3",
  });

  it("is labelled, and tries once", () => {
    expect(job.metadata?.labels).toMatchObject({ "app.kubernetes.io/instance": "orders" });
    expect(job.spec.backoffLimit).toBe(0);
    expect(job.spec.template.spec.restartPolicy).toBe("Never");
  });

  it("is told where the server is, where to write and how fast, and gets the password from the Secret", () => {
    const [container] = job.spec.template.spec.containers;
    const env = Object.fromEntries((container?.env ?? []).map(({ name, ...value }) => [name, value]));
    expect(env).toMatchObject({
      BACKUP_NAME: { value: "backup-3-1-0123456789abcdef" },
      BACKUP_MAX_RATE: { value: "8192" },
      PGHOST: { value: "127.1.2.3" },
      PGPASSWORD: { valueFrom: { secretKeyRef: { name: "orders-secret", key: "superuser-password" } } },
    });
  });

  it("mounts the volume that the server's pod writes its backups to", () => {
    expect(job.spec.template.spec.volumes).toEqual([
      { name: "backups", persistentVolumeClaim: { claimName: "backups-orders-0" } },
    ]);
    expect(databaseSet(database).spec.volumeClaimTemplates?.map(({ metadata }) => metadata?.name)).toContain(
      "backups",
    );
  });
});
