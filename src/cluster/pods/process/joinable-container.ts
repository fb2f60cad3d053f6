// One instance of a container as others join it: they see its output from then on, and write to its input if it keeps one open.
import { PassThrough } from "node:stream";
import type { Container } from "../../../kinds/builtin/parts.ts";
import type { PodAttachRequest } from "../pod-runtime.ts";

type Joined = Pick<PodAttachRequest, "onStdout" | "onStderr">;

/** What is between an instance and those who join it. */
export class JoinableContainer {
  /** What the instance reads; undefined: it has no input. */
  readonly input: PassThrough | undefined;
  readonly #once: boolean;
  readonly #joined = new Set<Joined>();
  readonly #ended = Promise.withResolvers<void>();

  constructor({ stdin = false, stdinOnce = false }: Pick<Container, "stdin" | "stdinOnce">) {
    this.input = stdin ? new PassThrough() : undefined;
    this.#once = stdinOnce;
  }

  /** Shows output to those who have joined; while what it returns is pending, one of them has enough to read. */
  show(stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void> | undefined {
    const busy = [...this.#joined].flatMap(
      ({ onStdout, onStderr }) => (stream === "stdout" ? onStdout : onStderr)?.(chunk) ?? [],
    );
    return busy.length === 0 ? undefined : Promise.all(busy).then(() => undefined);
  }

  /** Resolves when the instance has ended, or the request's signal is aborted. */
  async join(request: PodAttachRequest): Promise<void> {
    const { signal, stdin } = request;
    const left = Promise.withResolvers<void>();
    if (signal?.aborted === true) left.resolve();
    signal?.addEventListener("abort", () => left.resolve(), { once: true });
    this.#joined.add(request);
    if (stdin !== undefined) void this.#feed(stdin);
    await Promise.race([this.#ended.promise, left.promise]);
    this.#joined.delete(request);
  }

  /** The instance has ended. */
  end(): void {
    this.input?.end();
    this.#ended.resolve();
  }

  async #feed(stdin: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of stdin) {
        const { input } = this;
        if (input?.writable !== true || input.write(chunk)) continue;
        await Promise.race([
          new Promise<void>((resolve) => input.once("drain", resolve)),
          this.#ended.promise,
        ]);
      }
    } catch {
      // Whoever wrote is gone, which ends the input as well as a last byte does.
    }
    if (this.#once) this.input?.end();
  }
}
