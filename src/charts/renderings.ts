// What was rendered, kept until the values or the files change: a settled reconcile runs no tool.
import { BoundedMap } from "../collections/bounded-map.ts";
import type { AnyManifest } from "../meta/object.ts";
import { withinLimits } from "../ports/deadline.ts";
import { OperatorError, TerminalError } from "../ports/operator-error.ts";
import { systemClock } from "../ports/system-clock.ts";
import { digestOf } from "./chart-source.ts";
import { objectsIn, type RenderedFor } from "./rendered-objects.ts";

/** One rendering that is asked for. */
export interface RenderingRequest extends RenderedFor {
  /** What it is remembered by: of each, the last rendering is kept. */
  readonly name: string;
  /** Everything that it depends on besides the files. */
  readonly input: string;
  readonly signal: AbortSignal;
  /** Runs the tool. */
  readonly render: (signal: AbortSignal) => Promise<string>;
}

interface Rendering {
  readonly digest: string;
  readonly input: string;
  readonly objects: readonly AnyManifest[];
}

/** More releases than one process is likely to have. */
const mostRemembered = 10_000;

/** The renderings of one source. */
export class Renderings {
  readonly #path: string;
  /** Milliseconds. */
  readonly #timeout: number;
  readonly #known = new BoundedMap<string, Rendering>(mostRemembered);
  /** The digest of the files when something was rendered last. */
  #digest: string | undefined;

  constructor(path: string, timeout: number) {
    this.#path = path;
    this.#timeout = timeout;
  }

  /**
   * The objects of a rendering, which is made where the last one of this name was made of something else.
   *
   * **Errors**: `CHART_TIMEOUT`; `CHART_UNSTABLE` (gives up) when two renderings of the same differ; those of the tool and of
   * {@link objectsIn}.
   */
  async of(request: RenderingRequest): Promise<readonly AnyManifest[]> {
    const { name, input } = request;
    const known = this.#known.get(name);
    if (known !== undefined && known.input === input && known.digest === this.#digest) return known.objects;
    const { what, signal } = request;
    const late = (): OperatorError =>
      new OperatorError("CHART_TIMEOUT", `${what} was not rendered within ${this.#timeout} ms`, {
        remedy: "Increase timeout, or give the operator more CPU.",
      });
    return withinLimits(
      { clock: systemClock, signals: [signal], timeout: this.#timeout, late },
      async (limited) => {
        const { digest, mayVary } = await digestOf(this.#path);
        const text = await request.render(limited);
        // Otherwise it would be another password with each start of the operator.
        if (mayVary) refuseDifferent(text, await request.render(limited), what);
        const objects = objectsIn(text, request);
        // Whatever was rendered of other files is rendered again.
        this.#digest = digest;
        this.#known.set(name, { digest, input, objects });
        return objects;
      },
    );
  }
}

function refuseDifferent(one: string, other: string, what: string): void {
  if (one === other) return;
  const lines = other.split("\n");
  const at = one.split("\n").findIndex((line, index) => line !== lines[index]);
  const source = one
    .split("\n")
    .slice(0, at)
    .findLast((line) => line.startsWith("# Source: "));
  const field = /^[\s-]*([\w.-]+):/.exec(lines[at] ?? "")?.[1];
  const where = source === undefined ? "" : ` in ${source.slice("# Source: ".length)}`;
  throw new TerminalError(
    "CHART_UNSTABLE",
    `${what} renders something else each time: ${field ?? "a line"}${where}`,
    {
      remedy:
        "Give it a value of yours, for instance from a Secret: the operator would write it again with each start.",
    },
  );
}
