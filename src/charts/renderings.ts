// What was rendered, kept until the values or the files change: a settled reconcile runs no tool.
import { BoundedMap } from "../collections/bounded-map.ts";
import { changedPaths } from "../meta/changed-paths.ts";
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
        const objects = objectsIn(await request.render(limited), request);
        // Otherwise it would be another password with each start of the operator. What is left out, such as tests, may differ.
        if (mayVary) refuseDifferent(objects, objectsIn(await request.render(limited), request), what);
        // Whatever was rendered of other files is rendered again.
        this.#digest = digest;
        this.#known.set(name, { digest, input, objects });
        return objects;
      },
    );
  }
}

/** Levels of an object at which a difference is named. */
const deepest = 8;

function refuseDifferent(one: readonly AnyManifest[], other: readonly AnyManifest[], what: string): void {
  for (const [index, object] of one.entries()) {
    const { kind, metadata } = object;
    const twin = other[index];
    const [field] = twin === undefined ? ["the presence"] : changedPaths(object, twin, deepest);
    if (field === undefined) continue;
    throw new TerminalError(
      "CHART_UNSTABLE",
      `${what} renders something else each time: ${field} of ${kind} "${metadata.name}"`,
      {
        remedy:
          "Give it a value of yours, for instance from a Secret: the operator would write it again with each start.",
      },
    );
  }
}
