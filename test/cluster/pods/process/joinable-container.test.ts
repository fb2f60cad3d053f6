// Joining a container that runs as a process: what is seen, what is read, and how it ends.
import { describe, expect, it } from "vitest";
import { JoinableContainer } from "../../../../src/cluster/pods/process/joinable-container.ts";

async function* words(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("a container that is joined", () => {
  it("shows its output from then on, to all who have joined, until it ends", async () => {
    const container = new JoinableContainer({});
    void container.show("stdout", Buffer.from("before"));
    const seen: string[] = [];
    const joined = ["one", "two"].map((who) =>
      container.join({
        namespace: "default",
        name: "pod",
        onStdout: (chunk) => void seen.push(`${who} ${Buffer.from(chunk).toString()}`),
        onStderr: (chunk) => void seen.push(`${who} err ${Buffer.from(chunk).toString()}`),
      }),
    );
    void container.show("stdout", Buffer.from("out"));
    void container.show("stderr", Buffer.from("late"));
    container.end();
    await Promise.all(joined);
    expect(seen).toEqual(["one out", "two out", "one err late", "two err late"]);
  });

  it("holds its output while somebody has enough to read", async () => {
    const container = new JoinableContainer({});
    const room = Promise.withResolvers<void>();
    void container.join({ namespace: "default", name: "pod", onStdout: () => room.promise });
    let shown = false;
    const showing = container.show("stdout", Buffer.from("much"))?.then(() => (shown = true));
    await Promise.resolve();
    expect(shown).toBe(false);
    room.resolve();
    await showing;
    expect(shown).toBe(true);
  });

  it("is left when the signal is aborted, and goes on", async () => {
    const container = new JoinableContainer({});
    const abort = new AbortController();
    const seen: string[] = [];
    const joined = container.join({
      namespace: "default",
      name: "pod",
      signal: abort.signal,
      onStdout: (chunk) => void seen.push(Buffer.from(chunk).toString()),
    });
    abort.abort();
    await joined;
    void container.show("stdout", Buffer.from("unseen"));
    expect(seen).toEqual([]);
  });

  it.each([
    ["closes its input after the first who writes, where it is told to", true, true],
    ["keeps its input open for the next", false, false],
  ])("%s", async (_, stdinOnce, isEnded) => {
    const container = new JoinableContainer({ stdin: true, stdinOnce });
    void container.join({ namespace: "default", name: "pod", stdin: words("a", "b") });
    let read = "";
    container.input?.on("data", (chunk: Buffer) => (read += chunk.toString()));
    await expect.poll(() => read).toBe("ab");
    await expect.poll(() => container.input?.writableEnded).toBe(isEnded);
    container.end();
  });

  it("has no input unless the container asks for one", async () => {
    const container = new JoinableContainer({});
    const joined = container.join({ namespace: "default", name: "pod", stdin: words("lost") });
    container.end();
    await joined;
    expect(container.input).toBe(undefined);
  });
});
