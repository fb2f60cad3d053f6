import { describe, expect, it } from "vitest";
import { progressOf } from "../../../examples/database/application/back-up.ts";
import { secondsLeft } from "../../../examples/database/application/drain.ts";
import { isHeldBack } from "../../../examples/database/application/held-back.ts";
import { observationOf, type Answers } from "../../../examples/database/application/observe-database.ts";
import { parseMarker, type BackupMarker } from "../../../examples/database/backup/backup-marker.ts";
import { baseBackupCommand } from "../../../examples/database/backup/take-backup.ts";
import { ServerUnreachable } from "../../../examples/database/postgres/connection.ts";
import { configDigest, databaseConfig } from "../../../examples/database/resources/config.ts";
import { databaseSet } from "../../../examples/database/resources/server.ts";
import { newest } from "../../../examples/database/postgres/questions.ts";
import { databaseFixture, type DatabaseFixture } from "./database-fixture.ts";

const health = { inRecovery: false, open: true, connections: 1, size: 8_000_000, version: "18.4" };
const marker: BackupMarker = {
  name: "backup-1",
  file: "backup-1/base.tar",
  size: 40,
  startLsn: "0/2000028",
  endLsn: "0/2000100",
  time: "2026-01-01T01:00:00.000Z",
};
const oneOClock = Date.parse("2026-01-01T01:00:00Z");
/** What a server says that runs with what its Database asks for. */
const answersOf = (fixture: DatabaseFixture): Answers => {
  const cr = databaseFixture(fixture);
  const text = databaseConfig(cr).data?.["postgresql.conf"] ?? "";
  return {
    cr,
    health,
    configuration: { text, loaded: true },
    podDigest: configDigest(cr),
    lastBackup: undefined,
    now: 0,
  };
};
const look = (fixture: DatabaseFixture, lastBackup?: BackupMarker, now = oneOClock) =>
  observationOf({ ...answersOf(fixture), lastBackup, now });

describe("what is seen of a server", () => {
  it("is Running when it answers and admits applications", () => {
    expect(look({})).toEqual({
      state: "Running",
      facts: { connections: 1, version: "18.4" },
      message: "PostgreSQL 18.4 answers, 1 connection",
    });
  });

  it("is Closed when the application's database admits nobody", () => {
    const closed = { ...health, open: false };
    expect(observationOf({ ...answersOf({}), health: closed }).state).toBe("Closed");
  });

  it("is Down while the server replays its log", () => {
    const replaying = { ...health, inRecovery: true };
    expect(observationOf({ ...answersOf({}), health: replaying }).state).toBe("Down");
  });

  it.each<[string, (answers: Answers) => Partial<Answers>]>([
    [
      "its pod was made for another configuration",
      () => ({ podDigest: configDigest(databaseFixture({ spec: { port: 6000 } })) }),
    ],
    ["nothing says what its pod was made for", () => ({ podDigest: undefined })],
    [
      "its file is another one",
      ({ configuration }) => ({ configuration: { ...configuration, text: "port = '6000'" } }),
    ],
    [
      "it has not read its file",
      ({ configuration }) => ({ configuration: { ...configuration, loaded: false } }),
    ],
  ])("is Outdated when %s, even if a backup is due", (_, change) => {
    const answers = { ...answersOf({ spec: { backupEveryHours: 1 } }), now: oneOClock };
    expect(observationOf(answers).state).toBe("BackupDue");
    const seen = observationOf({ ...answers, ...change(answers) });
    expect(seen.state).toBe("Outdated");
    expect(seen.message).toBe(
      "PostgreSQL 18.4 answers, 1 connection, but with another configuration than the desired one",
    );
  });

  it("is BackupDue once the last backup is as old as the Database allows", () => {
    const spec = { backupEveryHours: 1 };
    expect(look({ spec }, marker, oneOClock + 3_599_999).state).toBe("Running");
    expect(look({ spec }, marker, oneOClock + 3_600_000).state).toBe("BackupDue");
  });

  it("counts from the Database's creation before the first backup", () => {
    expect(look({ spec: { backupEveryHours: 1 } }, undefined, oneOClock - 1).state).toBe("Running");
    expect(look({ spec: { backupEveryHours: 1 } }, undefined, oneOClock).state).toBe("BackupDue");
  });

  it("is never BackupDue without a target for regular backups, or during deletion", () => {
    expect(look({}, undefined, oneOClock * 2).state).toBe("Running");
    const deleted = { spec: { backupEveryHours: 1 }, deletionTimestamp: "2026-01-01T01:00:00Z" };
    expect(look(deleted, undefined, oneOClock * 2).state).toBe("Running");
  });
});

describe("what a Database asks for", () => {
  const stored = (fixture: DatabaseFixture) => ({
    ...databaseSet(databaseFixture(fixture)),
    metadata: {
      ...databaseSet(databaseFixture(fixture)).metadata,
      namespace: "shop",
      uid: "1",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
  });
  const heldIn = (state: string, spec: DatabaseFixture["spec"] = {}, server = stored({})) =>
    isHeldBack(databaseFixture({ spec, status: { lifecycle: { state } } }), server);

  it.each([{ parameters: { work_mem: "8MB" } }, { maxConnections: 60 }, { port: 6_000 }])(
    "is held back in Running when it is %j, and rolled out from Reconfiguring on",
    (spec) => {
      expect(heldIn("Running", spec)).toBe(true);
      expect(heldIn("Reconfiguring", spec)).toBe(false);
    },
  );

  it("is rolled out in Running when the configuration stays as it is", () => {
    expect(heldIn("Running")).toBe(false);
    expect(heldIn("Running", { deletionPolicy: "Delete", drainSeconds: 1 })).toBe(false);
    const twice = { parameters: { a: "1", b: "2" } };
    expect(heldIn("Running", { parameters: { b: "2", a: "1" } }, stored({ spec: twice }))).toBe(false);
  });

  it.each(["Servicing", "Stopping"])("is never rolled out under the task of %s", (state) => {
    expect(heldIn(state)).toBe(true);
    expect(heldIn(state, { maxConnections: 60 })).toBe(true);
  });

  it.each(["Start", "HumanIntervention", "End"])("is rolled out in %s", (state) => {
    expect(heldIn(state, { maxConnections: 60 })).toBe(false);
  });

  it("is rolled out where there is no server yet, and over one that an older operator has made", () => {
    const { metadata, ...server } = stored({});
    const { annotations: _, ...older } = metadata;
    expect(isHeldBack(databaseFixture({ status: { lifecycle: { state: "Servicing" } } }), undefined)).toBe(
      false,
    );
    expect(heldIn("Running", { maxConnections: 60 }, { ...server, metadata: older })).toBe(false);
  });
});

describe("the progress of a backup", () => {
  it("is a fraction with PostgreSQL's own words", () => {
    expect(progressOf({ phase: "streaming database files", streamed: 1_048_576, total: 4_194_304 })).toEqual({
      phase: "Running",
      progress: 0.25,
      message: "streaming database files, 1.0 MB of 4.0 MB",
    });
  });

  it("has no fraction before the server has estimated the size", () => {
    const progress = progressOf({ phase: "waiting for checkpoint to finish", streamed: 0, total: null });
    expect(progress).toEqual({ phase: "Running", message: "waiting for checkpoint to finish" });
  });

  it("claims neither a beginning nor an end while the server knows of no backup", () => {
    const message = "the server streams no backup at the moment";
    expect(progressOf(undefined)).toEqual({ phase: "Running", message });
  });

  it("does not fall back once the server has sent everything and forgets the backup", () => {
    const message = "the server has stopped streaming; the Job finishes";
    expect(progressOf(undefined, 0.99)).toEqual({ phase: "Running", message });
  });

  it("is never whole before the Job says so: the log that comes last is in no estimate", () => {
    const progress = progressOf({ phase: "transferring wal files", streamed: 4_194_304, total: 4_194_304 });
    expect(progress).toEqual({
      phase: "Running",
      progress: 0.99,
      message: "transferring wal files, 4.0 MB so far",
    });
  });
});

describe("the marker of a backup", () => {
  it("survives its file", () => {
    expect(parseMarker(JSON.stringify(marker))).toEqual(marker);
  });

  it.each([null, "", "{", "[]", "{}", JSON.stringify({ ...marker, size: -1 })])(
    "is not there in %j",
    (text) => {
      expect(parseMarker(text)).toBeUndefined();
    },
  );

  it("of the newest backup is found, whatever the order", () => {
    const older = { ...marker, name: "backup-0", time: "2026-01-01T00:59:59.999Z" };
    expect(newest([older, marker])?.name).toBe("backup-1");
    expect(newest([marker, older])?.name).toBe("backup-1");
    expect(newest([])).toBeUndefined();
  });
});

describe("the backup command", () => {
  const backup = { name: "nightly", folder: "/mnt", maxRate: 0 };

  it("writes on the server, with the log, and without a limit unless there is one", () => {
    expect(baseBackupCommand(backup, "/backups")).toBe(
      "BASE_BACKUP (LABEL 'nightly', PROGRESS true, CHECKPOINT 'fast', WAL true, TARGET 'server', TARGET_DETAIL '/backups/nightly')",
    );
  });

  it.each([
    [1, 32],
    [8_192, 8_192],
    [99_999_999, 1_048_576],
  ])("limits the rate %i to what PostgreSQL accepts: %i", (maxRate, expected) => {
    expect(baseBackupCommand({ ...backup, maxRate }, "/backups")).toContain(`MAX_RATE ${expected},`);
  });

  it("quotes what it is given", () => {
    expect(baseBackupCommand({ ...backup, name: "it's" }, "/b")).toContain("LABEL 'it''s'");
  });
});

describe("the deadline of a drain", () => {
  it("is counted down in whole seconds, to zero", () => {
    const handle = { deadline: "2026-01-01T01:00:30.000Z" };
    expect(secondsLeft(handle, oneOClock)).toBe(30);
    expect(secondsLeft(handle, oneOClock + 29_001)).toBe(1);
    expect(secondsLeft(handle, oneOClock + 31_000)).toBe(0);
  });

  it.each([undefined, null, {}, { deadline: 3 }, "x"])("has passed when the handle is %j", (handle) => {
    expect(secondsLeft(handle, oneOClock)).toBe(0);
  });
});

describe("a server that cannot be reached", () => {
  it("is told without the password", () => {
    const address = { host: "127.0.0.2", port: 5432, user: "u", password: "s3cret", database: "d" };
    const error = new ServerUnreachable(
      address,
      Object.assign(new Error("bad s3cret s3cret"), { code: "28P01" }),
    );
    expect(error.message).toBe("PostgreSQL at 127.0.0.2:5432: bad … …");
    expect(error.code).toBe("28P01");
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain("s3cret");
  });
});
