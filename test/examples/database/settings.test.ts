import { assert, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  pgHbaConf,
  postgresqlConf,
  settingName,
  settingValue,
} from "../../../examples/database/src/postgres/settings.ts";

const conf = (parameters: Record<string, string>): string =>
  postgresqlConf({ parameters, maxConnections: 20, port: 5432 });

describe("postgresql.conf", () => {
  it("has the author's parameters and the operator's own settings", () => {
    const lines = conf({ work_mem: "8MB" }).split("\n");
    expect(lines).toContain("work_mem = '8MB'");
    expect(lines).toContain("max_connections = '20'");
    expect(lines).toContain("port = '5432'");
    expect(lines).toContain("unix_socket_directories = ''");
  });

  it("lets a parameter replace a default, but not what belongs to the operator", () => {
    const text = conf({ shared_buffers: "1GB", port: "1", wal_level: "minimal" });
    expect(text).toContain("shared_buffers = '1GB'\n");
    expect(text).not.toContain("16MB");
    expect(text).toContain("port = '5432'\n");
    expect(text).toContain("wal_level = 'replica'\n");
  });

  it("is the same text whatever the order of the parameters", () => {
    expect(conf({ a: "1", b: "2" })).toBe(conf({ b: "2", a: "1" }));
  });

  it("never lets a value end its quotes", () => {
    assert(
      property(stringMatching(settingValue), (value) => {
        const line = conf({ work_mem: value })
          .split("\n")
          .find((each) => each.startsWith("work_mem"));
        const quoted = /^work_mem = '((?:[^'\\]|''|\\\\)*)'$/.exec(line ?? "")?.[1];
        expect(quoted?.replaceAll("''", "'").replaceAll("\\\\", "\\")).toBe(value);
      }),
    );
  });

  it.each(["work_mem", "pg_stat_statements.max"])("accepts %s as a name", (name) => {
    expect(name).toMatch(settingName);
  });

  it.each(["", "Work_Mem", "a.b.c", "include 'x'", "a=1", "a\nb"])("refuses %j as a name", (name) => {
    expect(name).not.toMatch(settingName);
  });
});

describe("pg_hba.conf", () => {
  it("asks everyone for a password", () => {
    const rules = pgHbaConf()
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(rules).toHaveLength(2);
    for (const rule of rules) expect(rule).toMatch(/^host .* scram-sha-256$/);
  });
});
