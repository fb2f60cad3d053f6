import { describe, expect, it } from "vitest";
import { backupName } from "../../../examples/database/src/database/back-up.ts";
import { secondsLeft } from "../../../examples/database/src/database/drain.ts";
import { isHeldBack } from "../../../examples/database/src/database/held-back.ts";
import { observationOf, type Answers } from "../../../examples/database/src/database/observe-database.ts";
import { parseMarker, type BackupMarker } from "../../../examples/database/src/sidecar/backup-marker.ts";
import {
  backupRequest,
  baseBackupCommand,
  describeProgress,
} from "../../../examples/database/src/sidecar/take-backup.ts";
import type { ServerFacts } from "../../../examples/database/src/sidecar/server-facts.ts";
import { textDigest } from "../../../examples/database/src/postgres/settings.ts";
import { ServerUnreachable } from "../../../examples/database/src/postgres/connection.ts";
import { configDigest, databaseConfig } from "../../../examples/database/src/database/resources/config.ts";
import { databaseSet } from "../../../examples/database/src/database/resources/server.ts";
import { newest } from "../../../examples/database/src/postgres/questions.ts";
import { databaseFixture, type DatabaseFixture } from "./database-fixture.ts";

const marker: BackupMarker = {
  name: "backup-1",
  file: "backup-1/base.tar",
  size: 40,
  startLsn: "0/2000028",
  endLsn: "0/2000100",
  time: "2026-01-01T01:00:00.000Z",
};
const oneOClock = Date.parse("2026-01-01T01:00:00Z");
/** What the sidecar says of a server that runs with what its Database asks for. */
const answersOf = (fixture: DatabaseFixture, more: Partial<ServerFacts> = {}, state = "Running"): Answers => {
  const cr = databaseFixture(fixture);
  const digest = textDigest(databaseConfig(cr).data?.["postgresql.conf"] ?? "");
  const facts: ServerFacts = { version: "18.4", configuration: { digest, loaded: true }, ...more };
  return { cr, report: { state, facts }, podDigest: configDigest(cr), now: 0 };
};
const look = (fixture: DatabaseFixture, lastBackup?: BackupMarker, now = oneOClock) =>
  observationOf({ ...answersOf(fixture, lastBackup === undefined ? {} : { lastBackup }), now });

/** Another configuration than the one that the Database asks for. */
const factsWith = (change: Partial<ServerFacts["configuration"]>): Partial<Answers> => {
  const { report } = answersOf({});
  const facts = report.facts as unknown as ServerFacts;
  const configuration = { ...facts.configuration, ...change };
  return { report: { ...report, facts: { ...facts, configuration } } };
};

describe("what is seen of a server", () => {
  it("is Running when it answers and admits applications", () => {
    expect(look({})).toEqual({
      state: "Running",
      facts: answersOf({}).report.facts,
      message: "PostgreSQL 18.4 answers",
    });
  });

  it("is Closed when the application's database admits nobody", () => {
    expect(observationOf(answersOf({}, {}, "Closed")).state).toBe("Closed");
  });

  it("is Down while the server replays its log", () => {
    expect(observationOf(answersOf({}, {}, "Recovering")).state).toBe("Down");
  });

  it("is Down with the reason when the server does not answer, and nothing when the sidecar does not know", () => {
    const report = { state: "Down", facts: { reason: "PostgreSQL at 127.0.0.2:5432: refused" } };
    expect(observationOf({ ...answersOf({}), report })).toEqual({
      state: "Down",
      message: "PostgreSQL at 127.0.0.2:5432: refused",
    });
    const unknown = { error: "no answer within 5000 ms" };
    expect(() => observationOf({ ...answersOf({}), report: unknown })).toThrow("no answer within");
  });

  it.each<[string, (answers: Answers) => Partial<Answers>]>([
    [
      "its pod was made for another configuration",
      () => ({ podDigest: configDigest(databaseFixture({ spec: { port: 6000 } })) }),
    ],
    ["nothing says what its pod was made for", () => ({ podDigest: undefined })],
    ["its file is another one", () => factsWith({ digest: textDigest("port = '6000'") })],
    ["it has not read its file", () => factsWith({ loaded: false })],
  ])("is Outdated when %s, even if a backup is due", (_, change) => {
    const answers = { ...answersOf({ spec: { backupEveryHours: 1 } }), now: oneOClock };
    expect(observationOf(answers).state).toBe("BackupDue");
    const seen = observationOf({ ...answers, ...change(answers) });
    expect(seen.state).toBe("Outdated");
    expect(seen.message).toBe("PostgreSQL 18.4 answers, but with another configuration than the desired one");
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
    expect(
      describeProgress({ phase: "streaming database files", streamed: 1_048_576, total: 4_194_304 }),
    ).toEqual([0.25, "streaming database files, 1.0 MB of 4.0 MB"]);
  });

  it("is none before the server has estimated the size", () => {
    const phase = "waiting for checkpoint to finish";
    expect(describeProgress({ phase, streamed: 0, total: null })).toEqual([0, phase]);
  });

  it("is never whole before the server has ended: the log that comes last is in no estimate", () => {
    const progress = { phase: "transferring wal files", streamed: 4_194_304, total: 4_194_304 };
    expect(describeProgress(progress)).toEqual([0.99, "transferring wal files, 4.0 MB so far"]);
  });
});

describe("the name of a backup", () => {
  it("is the same for each attempt, another for each entry and each Database, and one that the sidecar takes", () => {
    const cr = databaseFixture();
    const name = backupName({ cr, entry: 3 });
    expect(backupRequest.parse({ name, maxRate: 0 })).toEqual({ name, maxRate: 0 });
    expect(backupName({ cr, entry: 4 })).not.toBe(name);
    const namesake = { ...cr, metadata: { ...cr.metadata, uid: "6f0c0c44-0000-4000-8000-000000000001" } };
    expect(backupName({ cr: namesake, entry: 3 })).not.toBe(name);
  });

  it.each(["", "first", "backup-", "backup-../x", "backup-a/b", "BACKUP-1"])("is never %j", (name) => {
    expect(backupRequest.safeParse({ name, maxRate: 0 }).success).toBe(false);
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
  const backup = { name: "nightly", maxRate: 0 };

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
