// Tokens in the volumes of a pod: replaced before they expire, all at once, whatever a container has made of the file. On a virtual clock.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MountedTokens, type TokenDemand } from "../../../../src/cluster/pods/process/mounted-tokens.ts";
import { silentLogger } from "../../../../src/ports/logger.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/testing/virtual-clock.ts";
import { eventually } from "../../../support/eventually.ts";

let root: string;
let folder: string;
let clock: VirtualClock;
let tokens: MountedTokens;
let asked: TokenDemand[];
let refused: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mounted-tokens-"));
  folder = join(root, "volume");
  mkdirSync(folder);
  clock = createVirtualClock();
  asked = [];
  refused = 0;
  tokens = new MountedTokens({
    clock,
    log: silentLogger,
    async tokenOf(demand) {
      asked.push(demand);
      if (refused > 0) {
        refused -= 1;
        throw new Error("no server");
      }
      return { token: `token ${asked.length}`, expires: clock.now() + demand.expirationSeconds * 1_000 };
    },
  });
});
afterEach(() => {
  tokens.close();
  rmSync(root, { recursive: true, force: true });
});

const file = () => ({ folder, path: "token", mode: 0o644 });
const read = () => readFileSync(join(folder, "token"), "utf8");
/** A token is written by the file system, which no clock drives. */
const holds = (text: string) => eventually(() => expect(read()).toBe(text));

it("are replaced when four fifths of their life are over, and no sooner", async () => {
  await tokens.place(file(), { expirationSeconds: 1_000, audience: "vault" });
  expect(read()).toBe("token 1");
  await clock.advance(799_000);
  expect(asked).toEqual([{ expirationSeconds: 1_000, audience: "vault" }]);
  await clock.advance(1_000);
  await holds("token 2");
  await eventually(() => expect(clock.pendingTimers).toBe(1));
  await clock.advance(800_000);
  await holds("token 3");
  expect(readdirSync(folder)).toEqual(["token"]);
});

it("are replaced each day, however long they would last", async () => {
  await tokens.place(file(), { expirationSeconds: 1_000_000 });
  await clock.advance(86_400_000);
  await holds("token 2");
});

it("stay until the server answers again", async () => {
  await tokens.place(file(), { expirationSeconds: 1_000 });
  refused = 2;
  await clock.advance(800_000);
  await clock.advance(10_000);
  expect(read()).toBe("token 1");
  await clock.advance(10_000);
  await holds("token 4");
});

it("keep the container waiting where there is none to be had", async () => {
  refused = 1;
  await expect(tokens.place(file(), { expirationSeconds: 600 })).rejects.toMatchObject({
    reason: "CreateContainerConfigError",
    message: "failed to fetch token: no server",
  });
  expect(clock.pendingTimers).toBe(0);
});

it("are not written through a link that a container has put in their place", async () => {
  const victim = join(root, "victim");
  writeFileSync(victim, "untouched");
  await tokens.place(file(), { expirationSeconds: 1_000 });
  rmSync(join(folder, "token"));
  symlinkSync(victim, join(folder, "token"));
  await clock.advance(800_000);
  await holds("token 2");
  expect(readFileSync(victim, "utf8")).toBe("untouched");
  expect(lstatSync(join(folder, "token")).isSymbolicLink()).toBe(false);
});

it("are not written into a folder that a link leads to", async () => {
  const elsewhere = join(root, "elsewhere");
  mkdirSync(elsewhere);
  const deep = { folder, path: "deep/token", mode: 0o644 };
  await tokens.place(deep, { expirationSeconds: 1_000 });
  rmSync(join(folder, "deep"), { recursive: true });
  symlinkSync(elsewhere, join(folder, "deep"));
  await clock.advance(800_000);
  await eventually(() => expect(asked.length).toBe(2));
  await eventually(() => expect(clock.pendingTimers).toBe(1));
  expect(readdirSync(elsewhere)).toEqual([]);
});

it("are renewed once only where they are placed again, and never after the end", async () => {
  await tokens.place(file(), { expirationSeconds: 1_000 });
  await tokens.place(file(), { expirationSeconds: 1_000 });
  await clock.advance(800_000);
  await holds("token 3");
  tokens.close();
  await clock.advance(10_000_000);
  expect(asked.length).toBe(3);
});
