import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { chooseMachine, declaredMachines } from "../../src/cli/graph/declared-machines.ts";
import { formatLogLine } from "../../src/cli/log-lines.ts";
import { formatDocuments } from "../../src/cli/output-format.ts";
import { createProgress } from "../../src/cli/progress.ts";
import { formatError } from "../../src/cli/report-error.ts";
import { sourceLineOf } from "../../src/cli/source-line.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { shellWord } from "../../src/cli/shell-word.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { everyEdge, oddNames } from "../diagram/machine-fixtures.ts";

const plain = { color: false, debug: false };

describe("an error on the terminal", () => {
  it("says what, where, why and what to do, and no stack", () => {
    const error = new OperatorError("MODULE_FAILED", "operator.ts fails", {
      cause: new Error("no such table"),
      fields: { where: "/home/me/operator.ts:3:7" },
      remedy: "Create the table.",
    });
    expect(formatError(error, plain)).toMatch(
      /^error: operator\.ts fails\n {2}where: \/home\/me\/operator\.ts:3:7\n {2}why: no such table( \(.*\))?\n {2}do: Create the table\.\n {2}code: MODULE_FAILED\n$/,
    );
  });

  it("does not repeat a cause that the message has already told", () => {
    const error = new OperatorError("A", "it fails: no such table", {
      cause: new Error("no such table"),
      remedy: "Fix.",
    });
    expect(formatError(error, plain)).not.toContain("why:");
  });

  it("shows the stack of the error and of its causes with --debug", () => {
    const error = new OperatorError("A", "outer", { cause: new Error("inner"), remedy: "Fix." });
    const text = formatError(error, { color: false, debug: true });
    expect(text).toMatch(/OperatorError: outer\n\s+at /);
    expect(text).toMatch(/caused by: Error: inner\n\s+at /);
  });

  it("knows an error of another copy of the package by its shape", () => {
    const foreign = Object.assign(new Error("refused"), {
      code: "KIND_INVALID",
      remedy: "Use another name.",
    });
    expect(formatError(foreign, plain)).toContain("do: Use another name.\n  code: KIND_INVALID\n");
  });

  it("says how to learn more about an unexpected error, and hides Node's own code", () => {
    const text = formatError(Object.assign(new Error("boom"), { code: "ENOENT" }), plain);
    expect(text).toBe("error: boom\n  do: Run it again with --debug to see the stack.\n");
  });

  it.each([["a string"], [undefined], [null], [42]])("copes with a thrown %s", (thrown) => {
    expect(formatError(thrown, plain)).toMatch(/^error: .+\n/);
  });

  it("indents the further lines of a long message", () => {
    expect(formatError(new OperatorError("A", "two\nlines", { remedy: "Fix." }), plain)).toMatch(
      /^error: two\n {2}lines\n/,
    );
  });

  it("has colour codes only when asked for", () => {
    const error = new OperatorError("A", "what", { remedy: "Fix." });
    expect(formatError(error, plain)).not.toContain("\u001B");
    expect(formatError(error, { color: true, debug: false })).toContain("\u001B[");
  });
});

describe("the line of the user's code", () => {
  const withStack = (stack: string): Error => Object.assign(new Error("x"), { stack });

  it("is the first frame that is neither Node's, nor a dependency's, nor ours", () => {
    const error = withStack(`Error: x
    at defineKind (file:///app/node_modules/xstate-operator/dist/src/kinds/define-kind.js:10:3)
    at check (file:///repo/src/kinds/kind-names.ts:5:9)
    at ModuleJob.run (node:internal/modules/esm/module_job:430:25)
    at file:///app/my%20operator/operator.ts:12:16
    at file:///app/my%20operator/other.ts:1:1`);
    expect(sourceLineOf(error, ["/repo/src/"])).toBe("/app/my operator/operator.ts:12:16");
  });

  it("is the head of a syntax error, which has no column", () => {
    expect(
      sourceLineOf(
        withStack(
          "file:///app/operator.ts:7\nexport default }\n               ^\n\nSyntaxError: x\n    at compile (node:x:1:1)",
        ),
      ),
    ).toBe("/app/operator.ts:7");
  });

  it("is that of a cause where the error itself has none, as with fetch", () => {
    const error = withStack("TypeError: fetch failed\n    at node:internal/deps/undici:1:2");
    error.cause = withStack("Error: bad port\n    at work (file:///app/operator.ts:17:26)");
    expect(sourceLineOf(error)).toBe("/app/operator.ts:17:26");
  });

  it("is nothing when the user's code has no part in it", () => {
    expect(sourceLineOf(withStack("Error: x\n    at node:internal/x:1:2"))).toBeUndefined();
  });
});

describe("documents", () => {
  it("are one object or a List in JSON", () => {
    expect(JSON.parse(formatDocuments([{ a: 1 }], "json"))).toEqual({ a: 1 });
    expect(JSON.parse(formatDocuments([{ a: 1 }, { b: 2 }], "json"))).toEqual({
      apiVersion: "v1",
      kind: "List",
      items: [{ a: 1 }, { b: 2 }],
    });
  });

  it("are separated in YAML, and read the same by a YAML 1.1 reader", () => {
    const documents = [
      { y: "no", on: "1e3", off: "0o7", plain: "text", null: "~" },
      { long: "x ".repeat(100) },
    ];
    const text = formatDocuments(documents, "yaml");
    const read = parseAllDocuments(text, { version: "1.1" }).map((document) => document.toJS() as unknown);
    expect(read).toEqual(documents);
    expect(text).toContain("plain: text\n");
    expect(parse(text.split("---\n")[0] ?? "", { version: "1.2" })).toEqual(documents[0]);
  });

  it("write a shared part twice instead of an alias", () => {
    const shared = { a: 1 };
    expect(formatDocuments([{ x: shared, y: shared }], "yaml")).not.toContain("&");
  });
});

describe("a log line for people", () => {
  it("has time, level, message and fields, quoted where needed", () => {
    const json =
      '{"level":"warn","time":"2026-01-01T00:00:00.123Z","kind":"Database","why":"two words","n":3,"msg":"slow"}';
    expect(formatLogLine(json, { color: false })).toBe(
      '00:00:00.123 warn  slow kind=Database why="two words" n=3\n',
    );
  });

  it("says first what went wrong with what, and where, and says causes as a text", () => {
    const json = JSON.stringify({
      level: "error",
      time: "1970-01-01T00:00:00.123Z",
      reconcileId: "a-1",
      causes: [{ reason: "modified", kind: "Job", object: "default/a", detail: "spec" }, { reason: "retry" }],
      where: "/app/operator.ts:6:9",
      error: "no port",
      object: "default/a",
      stack: "at port (/app/operator.ts:6:9)",
      msg: "reconcile failed",
    });
    const line =
      '00:00:00.123 error reconcile failed object=default/a error="no port" where=/app/operator.ts:6:9 ' +
      'reconcileId=a-1 causes="modified Job default/a (spec); retry"';
    expect(formatLogLine(json, { color: false })).toBe(`${line}\n`);
    expect(formatLogLine(json, { color: false, stacks: true })).toBe(
      `${line}\n    at port (/app/operator.ts:6:9)\n`,
    );
  });

  it("stays as it is when it is not JSON", () => {
    expect(formatLogLine("plain text\n", { color: false })).toBe("plain text\n");
  });
});

describe("a folder in a command that is copied", () => {
  it.each([
    ["my-operator", "my-operator"],
    ["../a/b.c_d", "../a/b.c_d"],
    ["my operator", "'my operator'"],
    ["it's", "'it'\\''s'"],
    ["$HOME;rm", "'$HOME;rm'"],
    ["~", "'~'"],
    ["-x", "./-x"],
    ["", "''"],
  ])("is one word of a shell: %s", (path, word) => {
    expect(shellWord(path)).toBe(word);
  });
});

describe("objects by their names", () => {
  it("are called as kubectl calls them", () => {
    const objects = [
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } },
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "b" } },
    ];
    expect(formatDocuments(objects, "name")).toBe("secret/a\ndeployment.apps/b\n");
  });
});

describe("progress", () => {
  const terminal = (interactive: boolean): Terminal & { readonly text: () => string } => {
    let text = "";
    return {
      out: () => undefined,
      err: (more) => void (text += more),
      interactive,
      color: false,
      outColor: false,
      screen: () => undefined,
      readIn: () => Promise.resolve(""),
      env: {},
      path: (typed) => typed,
      stopSignal: () => new AbortController().signal,
      text: () => text,
    };
  };

  it("is a line for what came of each step when nobody watches, and one before it for a step that takes its time", async () => {
    const side = terminal(false);
    const clock = createVirtualClock();
    const progress = createProgress(side, clock);
    progress.begin("starting");
    progress.done("started");
    progress.begin("waiting");
    await clock.advance(1_999);
    expect(side.text()).toBe("started\n");
    await clock.advance(1);
    expect(side.text()).toBe("started\nwaiting …\n");
    progress.done("there");
    progress.begin("going on");
    progress.begin("further");
    progress.abandon();
    await clock.advance(10_000);
    expect(side.text()).toBe("started\nwaiting …\nthere\nfurther …\n");
  });

  it("is cut where it would take two lines of a terminal, of which only one could be replaced", () => {
    const side = { ...terminal(true), screen: () => ({ columns: 12, rows: 3 }) };
    const progress = createProgress(side);
    progress.begin("a rather long step");
    expect(side.text()).toBe("a rather l…");
  });

  it("is one line that changes on a terminal", () => {
    const side = terminal(true);
    const progress = createProgress(side);
    progress.begin("starting");
    progress.done("started");
    expect(side.text()).toBe("starting …\r\u001B[2K✓ started\n");
  });

  it("leaves the begun line and goes on below when it is abandoned", () => {
    const side = terminal(true);
    const progress = createProgress(side);
    progress.begin("starting");
    progress.abandon();
    expect(side.text()).toBe("starting …\n");
  });
});

describe("the machines of a module", () => {
  const exports = {
    first: everyEdge,
    second: oddNames,
    again: everyEdge,
    number: 3,
    nothing: null,
    fake: { id: "x", config: {} },
  };

  it("are found by their shape, each once", () => {
    expect(declaredMachines({ exports }).map(({ name }) => name)).toEqual(["first", "second"]);
  });

  it("are chosen by export name or id", () => {
    const machines = declaredMachines({ exports });
    expect(chooseMachine(machines, "f.ts", "second").name).toBe("second");
    expect(chooseMachine(machines, "f.ts", "every edge").name).toBe("first");
    expect(chooseMachine(machines.slice(0, 1), "f.ts", undefined).name).toBe("first");
  });

  it("are listed when there are several, or none has the name", () => {
    const machines = declaredMachines({ exports });
    const usage = expect.objectContaining({
      code: "USAGE",
      remedy: "Choose one with --machine: first, second.",
    });
    expect(() => chooseMachine(machines, "f.ts", undefined)).toThrow(usage);
    expect(() => chooseMachine(machines, "f.ts", "third")).toThrow(usage);
    expect(() => chooseMachine([], "f.ts", undefined)).toThrow(
      expect.objectContaining({ code: "MACHINE_MISSING" }),
    );
  });
});
