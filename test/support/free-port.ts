// Ports for servers that must know theirs before they begin to listen.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below what Linux gives to outgoing connections and to whoever listens on port 0 (32768 and up): a port from there, once it
 * is let go, may belong to any connection of a test that runs beside this one before its server listens.
 */
const range = { first: 20_000, last: 32_000 };

/** The first of `count` adjacent ports of 127.0.0.1 on which nobody listens. */
export async function freePort(count = 1): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = randomInt(range.first, range.last - count);
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} adjacent ports between ${range.first} and ${range.last} are free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
