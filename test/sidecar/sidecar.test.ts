// A sidecar as its callers see it: what it serves, what it refuses, and what it still knows when it comes back.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { generate } from "selfsigned";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";
import { createHttpClient } from "../../src/remote/http-client.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { SidecarTasks } from "../../src/sidecar/sidecar-tasks.ts";
import { startSidecar, type Sidecar } from "../../src/sidecar/start-sidecar.ts";
import type { SidecarOptions, SidecarTaskCall } from "../../src/sidecar/sidecar-options.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { eventually } from "../support/eventually.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sidecar-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const lines: string[] = [];
const noteLine = (fields: object, message: string): void =>
  void lines.push(JSON.stringify({ message, ...fields }));
const log: NonNullable<SidecarOptions["log"]> = {
  child: () => log,
  debug: noteLine,
  info: noteLine,
  warn: noteLine,
  error: noteLine,
};

async function serving(options: Partial<SidecarOptions> = {}): Promise<Sidecar> {
  const sidecar = await startSidecar({ directory: folder(), port: 0, log, ...options });
  onTestFinished(() => sidecar.stop());
  return sidecar;
}

async function send(url: string, init: RequestInit & { readonly key?: string } = {}): Promise<Answered> {
  const { key, ...rest } = init;
  const answer = await fetch(url, {
    ...rest,
    headers: {
      ...(init.body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(init.headers as Record<string, string>),
    },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const post = (url: string, key: string, input?: unknown): Promise<Answered> =>
  send(url, { method: "POST", key, ...(input === undefined ? {} : { body: JSON.stringify({ input }) }) });

const ended = (url: string, key: string): Promise<Answered> =>
  eventually(async () => {
    const answer = await send(`${url}/tasks/${key}`);
    expect(answer.body["phase"]).not.toBe("Running");
    return answer;
  });

describe("the tasks of a sidecar", () => {
  it("are begun once for each key, however often and at the same time they are asked for", async () => {
    let runs = 0;
    const { url } = await serving({
      tasks: { count: ({ input }) => ({ run: ++runs, input: input ?? null }) },
    });
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => post(`${url}/tasks/count`, "count-1", 7)),
    );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([202]));
    expect((await ended(url, "count-1")).body).toMatchObject({
      phase: "Succeeded",
      output: { run: 1, input: 7 },
    });
    expect((await post(`${url}/tasks/count`, "count-1", 7)).body).toMatchObject({ phase: "Succeeded" });
    expect((await post(`${url}/tasks/count`, "count-1", 8)).status).toBe(409);
    expect(runs).toBe(1);
  });

  it("say how far they are, what they came to, and why they failed", async () => {
    const { url } = await serving({
      tasks: {
        copy: {
          command: [
            "sh",
            "-c",
            `read -r given; echo '{"progress":0.5,"message":"half"}'; while [ ! -e "$GO" ]; do sleep 0.05; done; echo "$IDEMPOTENCY_KEY $given"`.replace(
              "$GO",
              join(folder(), "go"),
            ),
          ],
          timeout: "300ms",
        },
        fail: { command: ["sh", "-c", "echo no room >&2; exit 3"] },
        result: { command: ["sh", "-c", `cat; echo; echo '{"output":{"file":"a"}}'`] },
      },
    });
    await post(`${url}/tasks/copy`, "copy-1");
    await eventually(async () => {
      expect((await send(`${url}/tasks/copy-1`)).body).toMatchObject({ progress: 0.5, message: "half" });
    });
    expect((await ended(url, "copy-1")).body).toMatchObject({
      phase: "Failed",
      message: "it took longer than 300 ms",
    });
    await post(`${url}/tasks/fail`, "fail-1");
    expect((await ended(url, "fail-1")).body).toMatchObject({
      phase: "Failed",
      message: "exit code 3: no room",
    });
    await post(`${url}/tasks/result`, "result-1", { big: true });
    expect((await ended(url, "result-1")).body).toMatchObject({ phase: "Succeeded", output: { file: "a" } });
  });

  it("are ended with all that they have started, also when they ignore it, and their output is cut", async () => {
    const path = join(folder(), "alive");
    const { url } = await serving({
      grace: 200,
      tasks: {
        stubborn: { command: ["sh", "-c", `trap '' TERM; while :; do date > ${path}; sleep 0.05; done`] },
        loud: { command: ["sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' x"] },
      },
    });
    await post(`${url}/tasks/stubborn`, "stubborn-1");
    await eventually(() => expect(existsSync(path)).toBe(true));
    expect((await send(`${url}/tasks/stubborn-1`, { method: "DELETE" })).status).toBe(202);
    expect((await ended(url, "stubborn-1")).body).toMatchObject({
      phase: "Failed",
      message: "it was cancelled",
    });
    await post(`${url}/tasks/loud`, "loud-1");
    const { output } = (await ended(url, "loud-1")).body as { readonly output: string };
    expect(output.length).toBeLessThanOrEqual(2_048);
  });

  it("do not begin any more once the sidecar stops, and have failed", async () => {
    let runs = 0;
    const tasks = new SidecarTasks({
      directory: folder(),
      tasks: { work: () => void (runs += 1) },
      maxTasks: 4,
      maxOutput: 100,
      grace: 100,
      clock: systemClock,
      log,
      onChange: () => undefined,
    });
    await tasks.load();
    const begun = tasks.begin("work", "work-1", undefined);
    await Promise.resolve();
    await tasks.stop();
    expect(await begun).toMatchObject({ record: { phase: "Failed" } });
    expect(tasks.get("work-1")).toMatchObject({ message: "the sidecar stopped before this began" });
    expect(runs).toBe(0);
  });

  it("make room for the next one as soon as they are known to have ended", async () => {
    const next = Promise.withResolvers<unknown>();
    const tasks = new SidecarTasks({
      directory: folder(),
      tasks: { work: () => undefined },
      maxTasks: 1,
      maxOutput: 100,
      grace: 100,
      clock: systemClock,
      log,
      onChange: ({ id, phase }) => {
        if (id === "work-1" && phase === "Succeeded") next.resolve(tasks.begin("work", "work-2", undefined));
      },
    });
    await tasks.load();
    await tasks.begin("work", "work-1", undefined);
    expect(await next.promise).toMatchObject({ kind: "begun" });
    await tasks.stop();
  });

  it("are refused while as many run as may", async () => {
    const gate = Promise.withResolvers<void>();
    const { url } = await serving({ maxTasks: 2, tasks: { wait: () => gate.promise } });
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        post(`${url}/tasks/wait`, `wait-${index}`).then(
          ({ status }) => String(status),
          // One of too many connections.
          () => "cut off",
        ),
      ),
    );
    expect([...new Set(outcomes)].toSorted()).toEqual(expect.arrayContaining(["202", "429"]));
    expect(outcomes.filter((each) => each === "202").length).toBeLessThanOrEqual(2);
    expect((await post(`${url}/tasks/wait`, "one-more")).status).toBe(429);
    gate.resolve();
    await eventually(async () => expect((await post(`${url}/tasks/wait`, "one-more")).status).toBe(202));
  });
});

describe("the state of an application", () => {
  it("reaches who listens as soon as it is known", async () => {
    let state = "Running";
    const sidecar = await serving({ state: () => ({ state, facts: { connections: 3 } }), every: "1h" });
    await eventually(async () =>
      expect((await send(`${sidecar.url}/state`)).body).toMatchObject({ state: "Running" }),
    );
    const answer = await fetch(`${sidecar.url}/events`);
    const heard: string[] = [];
    const reading = (async () => {
      for await (const chunk of answer.body!) {
        heard.push(Buffer.from(chunk as Uint8Array).toString());
        if (heard.join("").includes("Down")) return;
      }
    })();
    await eventually(() => expect(heard.join("")).toContain('"state":"Running"'));
    state = "Down";
    sidecar.changed();
    await reading;
    expect(heard.join("")).toContain('event: state\ndata: {"state":"Down","facts":{"connections":3}');
  });

  it("is read from what a command prints, or from its exit code; one that cannot be asked has an error", async () => {
    const printed = await serving({ state: { command: ["echo", '{"state":"Running","facts":{"lag":2}}'] } });
    expect((await send(`${printed.url}/state`)).body).toMatchObject({ state: "Running", facts: { lag: 2 } });
    const coded = await serving({
      state: { command: ["sh", "-c", "exit 2"], exitCodes: { 0: "Running", 2: "Down" } },
    });
    expect((await send(`${coded.url}/state`)).body).toMatchObject({ state: "Down" });
    const broken = await serving({ state: { command: ["sh", "-c", "exit 9"] } });
    expect((await send(`${broken.url}/state`)).body["error"]).toContain("exit code 9");
  });
});

describe("a sidecar under attack", () => {
  const secret = "s3cret-token-of-the-operator";

  it("answers nobody without the token, and takes a new one from its file", async () => {
    const tokenFile = join(folder(), "token");
    writeFileSync(tokenFile, `${secret}\n`);
    const { url } = await serving({
      tokenFile,
      state: () => ({ state: "Running" }),
      tasks: { work: () => undefined },
    });
    const authorization = (token: string): RequestInit => ({ headers: { authorization: token } });
    for (const path of ["/state", "/events", "/tasks/x", "/nothing"]) {
      expect((await send(`${url}${path}`)).status).toBe(401);
      expect((await send(`${url}${path}`, authorization("Bearer wrong"))).status).toBe(401);
      expect((await send(`${url}${path}`, authorization(`Basic ${secret}`))).status).toBe(401);
    }
    expect((await send(`${url}/healthz`)).status).toBe(200);
    expect((await send(`${url}/state`, authorization(`Bearer ${secret}`))).status).toBe(200);
    writeFileSync(tokenFile, "another");
    await eventually(async () =>
      expect((await send(`${url}/state`, authorization("Bearer another"))).status).toBe(200),
    );
    expect((await send(`${url}/state`, authorization(`Bearer ${secret}`))).status).toBe(401);
  });

  it("refuses paths and bodies that it does not know", async () => {
    const directory = folder();
    const { url } = await serving({ directory, tasks: { work: () => undefined } });
    const port = Number(new URL(url).port);
    const raw = (path: string, method = "GET"): Promise<number> =>
      new Promise((resolve, reject) => {
        const request = httpRequest({
          host: "127.0.0.1",
          port,
          path,
          method,
          headers: { "idempotency-key": "k" },
        });
        request.on("response", (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        request.on("error", reject);
        request.end();
      });
    for (const path of [
      "/",
      "/tasks",
      "/tasks/",
      "/tasks/../../etc/passwd",
      "/tasks/%2e%2e%2fx",
      "/tasks/..",
      "/tasks/.x",
      "/tasks/a/b",
      "/state",
      "/tasks/x?y=1",
      "//tasks/x",
    ]) {
      expect([path, await raw(path)]).toEqual([path, 404]);
      expect([path, await raw(path, "POST")]).toEqual([path, 404]);
    }
    expect(await raw("/tasks/__proto__", "POST")).toBe(404);
    expect(await raw("/tasks/constructor", "POST")).toBe(404);
    expect(await raw("/tasks/work", "PUT")).toBe(405);
    const work = `${url}/tasks/work`;
    for (const key of ["../../x", "a/b", ".hidden", "", "x".repeat(129), "a b"]) {
      expect((await post(work, key)).status).toBe(400);
    }
    const deep = `{"input":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    for (const body of ["[]", "1", "{", '{"input":1,"more":2}', "null", deep]) {
      expect((await send(work, { method: "POST", key: "k", body })).status).toBe(400);
    }
    const large = JSON.stringify({ input: "x".repeat(100_000) });
    expect((await send(work, { method: "POST", key: "k", body: large })).status).toBe(413);
    const text = { method: "POST", key: "k", body: "{}", headers: { "content-type": "text/plain" } };
    expect((await send(work, text)).status).toBe(415);
    expect(readdirSync(join(directory, "tasks"))).toEqual([]);
  });

  it("waits for no slow caller, and serves others meanwhile", async () => {
    const { url } = await serving({ state: () => ({ state: "Running" }) });
    const port = Number(new URL(url).port);
    const closed = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(index % 2 === 0 ? "GET /state HTTP/1.1\r\nHo" : "");
        if (index === 39) expect((await send(`${url}/state`)).status).toBe(200);
        if (index % 2 === 0) await once(socket, "close");
        socket.destroy();
        return true;
      }),
    );
    expect(closed).toHaveLength(40);
  }, 20_000);

  it("ends a listener that does not read, and a caller who sends a body for ever; others hear everything", async () => {
    const reader = { heard: -1 };
    const sidecar = await serving({
      tasks: {
        // As fast as whoever reads does: far more than the system keeps for one who does not.
        talk: async ({ report }) => {
          for (let part = 0; part < 200; part += 1) {
            report({ part, what: "x".repeat(60_000) });
            while (reader.heard < part) await delay(1);
          }
        },
      },
    });
    const port = Number(new URL(sidecar.url).port);
    const [deaf, slow] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    for (const socket of [deaf, slow]) socket.on("error", () => undefined);
    deaf.pause();
    deaf.write("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    slow.write(
      "POST /tasks/talk HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    slow.resume();
    const slowEnded = once(slow, "close");
    const hearing = await fetch(`${sidecar.url}/events`);
    const hearingAll = (async () => {
      let text = "";
      for await (const chunk of hearing.body!) {
        const events = (text + Buffer.from(chunk as Uint8Array).toString()).split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) reader.heard = Number(/"part":(\d+)/.exec(event)?.[1] ?? reader.heard);
        if (reader.heard === 199) return;
      }
      throw new Error("the stream has ended");
    })();
    await eventually(async () =>
      expect((await post(`${sidecar.url}/tasks/talk`, "talk-1")).status).toBe(202),
    );
    await hearingAll;
    // What it was sent before is still to be read; then it ends.
    deaf.resume();
    await once(deaf, "close");
    await slowEnded;
  }, 30_000);

  it("does not listen to strangers without any proof, nor starts with options that it does not know", async () => {
    const directory = folder();
    await expect(startSidecar({ directory, host: "0.0.0.0" })).rejects.toMatchObject({
      code: "SIDECAR_OPTIONS_INVALID",
    });
    await expect(
      startSidecar({ directory, tasks: { "../x": { command: [] } }, tokn: 1 } as never),
    ).rejects.toThrow(/tokn is unknown.*is no name for a task.*command must be a list of words/);
    await expect(startSidecar({ directory, tokenFile: join(directory, "none") })).rejects.toMatchObject({
      code: "SIDECAR_FILE_UNREADABLE",
    });
  });

  it("has logged nothing that was secret", () => {
    const text = lines.join("\n");
    expect(lines.length).toBeGreaterThan(5);
    for (const word of [secret, "another", "no room", "x".repeat(50)]) expect(text).not.toContain(word);
  });
});

describe("the sidecar in one file", () => {
  let file = "";
  let directory = "";
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sidecar-"));
    file = join(directory, "sidecar.mjs");
    expect(await runCommand(["sidecar", "--out", directory])).toMatchObject({ code: 0 });
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("is small", () => {
    expect(readFileSync(file).length).toBeLessThan(250_000);
  });

  it("comes with a Dockerfile that runs it, and not as root", () => {
    const text = readFileSync(join(directory, "Dockerfile"), "utf8");
    expect(text).toContain("COPY sidecar.mjs ./");
    expect(text).toMatch(/^USER [1-9][0-9]*$/m);
    expect(text).toMatch(/^ENTRYPOINT \[.*"\/sidecar\/sidecar\.mjs"\]$/m);
  });

  it("answers after little more work than Node itself has to start", () => {
    const config = join(directory, "start.yaml");
    writeFileSync(config, JSON.stringify({ directory: join(directory, "start"), port: 0 }));
    /** Milliseconds of CPU until a program prints what it has used; the least of some. */
    const cpuOf = (code: string): number =>
      Math.min(
        ...Array.from({ length: 3 }, () =>
          Number(
            execFileSync(process.execPath, ["--input-type=module", "-e", code, "--", "--config", config], {
              encoding: "utf8",
            }),
          ),
        ),
      );
    const print = `const { user, system } = process.cpuUsage();
      process.stdout.write(String((user + system) / 1_000), () => process.exit(0));`;
    const untilItAnswers = `const write = process.stderr.write.bind(process.stderr);
      process.stderr.write = (line) => { if (!line.includes("the sidecar answers")) return write(line); ${print} return true; };
      await import(${JSON.stringify(file)});`;
    // 3.5 to 3.9 measured: a tenth of a second.
    expect(cpuOf(untilItAnswers) / cpuOf(print)).toBeLessThan(6);
  });

  it("knows after it was killed what it has done, and ends what was left of it, without beginning it again", async () => {
    const runs = join(directory, "runs");
    const config = join(directory, "sidecar.yaml");
    const script = `echo run >> ${runs}; [ "$IDEMPOTENCY_KEY" = slow-1 ] && exec sleep 3600; exit 0`;
    writeFileSync(
      config,
      JSON.stringify({
        directory: "${WHERE}/records",
        port: 0,
        tasks: { work: { command: ["sh", "-c", script] } },
      }),
    );
    const start = async () => {
      const child = spawn(process.execPath, [file, "--config", config], {
        env: { ...process.env, WHERE: directory },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      const url = await eventually(() => {
        const [, found = ""] = /"url":"([^"]+)"/.exec(said) ?? [];
        expect(found).not.toBe("");
        return found;
      });
      return { child, url };
    };
    const first = await start();
    await post(`${first.url}/tasks/work`, "fast-1");
    await ended(first.url, "fast-1");
    await post(`${first.url}/tasks/work`, "slow-1");
    await eventually(() => expect(readFileSync(runs, "utf8")).toBe("run\nrun\n"));
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const second = await start();
    expect((await post(`${second.url}/tasks/work`, "fast-1")).body).toMatchObject({ phase: "Succeeded" });
    expect((await post(`${second.url}/tasks/work`, "slow-1")).body).toMatchObject({
      phase: "Failed",
      message: "the sidecar ended while this ran; it was not begun again",
    });
    expect(readFileSync(runs, "utf8")).toBe("run\nrun\n");
    second.child.kill("SIGTERM");
    expect(await once(second.child, "exit")).toEqual([0, null]);
  });
});

describe("a sidecar and its operator's client", () => {
  it("tell each other apart by certificates", async () => {
    const place = folder();
    const write = (name: string, text: string): string => {
      writeFileSync(join(place, name), text);
      return join(place, name);
    };
    const server = await createServerCertificate(Date.now());
    const operator = await generate([{ name: "commonName", value: "operator" }]);
    const clientCaFile = write("clients.crt", operator.cert);
    const certFile = write("tls.crt", server.certificate);
    const tls = { certFile, keyFile: write("tls.key", server.key), clientCaFile };
    const { url } = await serving({ tls, state: () => ({ state: "Running" }) });
    const caFile = write("ca.crt", server.authority);
    const stranger = createHttpClient({ caFile, env: {}, attempts: 1 });
    await expect(stranger.send({ url: `${url}/state` })).rejects.toMatchObject({ code: "HTTP_UNREACHABLE" });
    const keyFile = write("operator.key", operator.private);
    const known = createHttpClient({ caFile, certFile: clientCaFile, keyFile, env: {} });
    onTestFinished(async () => {
      await stranger.close();
      await known.close();
    });
    expect((await known.send({ url: `${url}/state` })).body).toMatchObject({ state: "Running" });
    const renewed = await createServerCertificate(Date.now());
    for (const [name, text] of [
      ["tls.crt", renewed.certificate],
      ["tls.key", renewed.key],
    ] as const)
      write(name, text);
    await eventually(async () => {
      const trusting = createHttpClient({
        caFile: write("new.crt", renewed.authority),
        certFile: clientCaFile,
        keyFile,
        env: {},
      });
      expect((await trusting.send({ url: `${url}/state` })).status).toBe(200);
      await trusting.close();
    });
  });

  it("give functions their key, and a signal", async () => {
    let given: SidecarTaskCall | undefined;
    const sidecar = await serving({
      tasks: {
        work: (call) =>
          new Promise((_, reject) => {
            given = call;
            call.signal.addEventListener("abort", () => reject(call.signal.reason as Error));
          }),
      },
    });
    await post(`${sidecar.url}/tasks/work`, "work-1", { size: 3 });
    expect(given).toMatchObject({ key: "work-1", input: { size: 3 } });
    await sidecar.stop();
    expect(given?.signal.aborted).toBe(true);
  });
});
