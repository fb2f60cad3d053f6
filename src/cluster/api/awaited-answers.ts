// What a request has to ask of others while it is carried out: admission and conversion webhooks.
// The verbs are synchronous, so that a read followed by a write is a transaction. When one of them needs an answer that is not
// known yet, it is given up; the answer is fetched, and the verb runs again from its beginning, on what is stored by then. It asks
// the same questions as long as nothing has changed meanwhile, and others if something has, as Kubernetes repeats an update whose
// object was changed under it.

type Answer = { readonly value: unknown } | { readonly error: unknown };

/** Thrown where an answer is not known yet; caught by {@link answered} alone. */
class AnswerAwaited extends Error {
  readonly question: string;
  readonly ask: () => Promise<unknown>;

  constructor(question: string, ask: () => Promise<unknown>) {
    super("an answer is awaited where nobody waits for one");
    this.question = question;
    this.ask = ask;
  }
}

/** The answers of the part that runs right now; parts are synchronous, so there is one at most. */
let known: Map<string, Answer> | undefined;

/** Whether what runs right now can wait for answers. */
export function canAsk(): boolean {
  return known !== undefined;
}

/** What a part may change in place: a copy where the part may run again, which has to find what it was given. */
export function changeable<T>(given: T): T {
  return canAsk() ? structuredClone(given) : given;
}

/** The answer to a question, or the error that it came to; gives up what runs right now while it is not known. */
export function answerTo<T>(question: string, ask: () => Promise<T>): T {
  const answer = known?.get(question);
  if (answer === undefined) throw new AnswerAwaited(question, ask);
  if ("error" in answer) throw answer.error;
  return answer.value as T;
}

/** Runs a synchronous part of a request until no answer is awaited any more. Errors: those of the part. */
export async function answered<T>(part: () => T): Promise<T> {
  const answers = new Map<string, Answer>();
  for (;;) {
    const before = known;
    let awaited: AnswerAwaited;
    try {
      known = answers;
      return part();
    } catch (error) {
      if (!(error instanceof AnswerAwaited)) throw error;
      awaited = error;
    } finally {
      known = before;
    }
    answers.set(
      awaited.question,
      await awaited.ask().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
    );
  }
}
