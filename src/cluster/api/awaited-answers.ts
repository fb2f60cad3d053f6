// What a request has to ask of others while it is carried out: admission and conversion webhooks.
// The verbs are synchronous, so that a read followed by a write is a transaction. When one of them needs an answer that is not
// known yet, it is given up; the answer is fetched, and the verb runs again from its beginning, on what is stored by then. It asks
// the same questions as long as nothing has changed meanwhile, and others if something has, as Kubernetes repeats an update whose
// object was changed under it.
import type { Clock } from "../../ports/clock.ts";
import type { ApiCore, AwaitedAnswers } from "./api-core.ts";

type Answer = { readonly value: unknown } | { readonly error: unknown };

/** Thrown where an answer is not known yet; caught by {@link withAnswers} alone. */
class AnswerAwaited extends Error {
  readonly question: string;
  readonly ask: () => Promise<unknown>;

  constructor(question: string, ask: () => Promise<unknown>) {
    super("an answer is awaited");
    this.question = question;
    this.ask = ask;
  }
}

/** What a verb does is the same each time it runs: it is given the same time, identifiers and random numbers. */
class RepeatedRun implements AwaitedAnswers {
  readonly #core: ApiCore;
  readonly #answers = new Map<string, Answer>();
  readonly #clock: Clock;
  readonly #uids: string[] = [];
  readonly #numbers: number[] = [];

  constructor(core: ApiCore) {
    this.#core = core;
    const { clock } = core;
    const now = clock.now();
    this.#clock = {
      now: () => now,
      setTimeout: (callback, milliseconds) => clock.setTimeout(callback, milliseconds),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    };
  }

  answerTo<T>(question: string, ask: () => Promise<T>): T {
    const known = this.#answers.get(question);
    if (known === undefined) throw new AnswerAwaited(question, ask);
    if ("error" in known) throw known.error;
    return known.value as T;
  }

  /** The core for one run. */
  nextCore(): ApiCore {
    const core = this.#core;
    let uid = 0;
    let number = 0;
    return {
      ...core,
      clock: this.#clock,
      newUid: () => (this.#uids[uid++] ??= core.newUid()),
      random: () => (this.#numbers[number++] ??= core.random()),
      answers: this,
    };
  }

  async fetch({ question, ask }: AnswerAwaited): Promise<void> {
    try {
      this.#answers.set(question, { value: await ask() });
    } catch (error) {
      this.#answers.set(question, { error });
    }
  }
}

/** Runs a synchronous part of a request until no answer is awaited any more. Errors: those of the part. */
export async function withAnswers<T>(core: ApiCore, part: (core: ApiCore) => T): Promise<T> {
  const run = new RepeatedRun(core);
  for (;;) {
    try {
      return part(run.nextCore());
    } catch (error) {
      if (!(error instanceof AnswerAwaited)) throw error;
      await run.fetch(error);
    }
  }
}
