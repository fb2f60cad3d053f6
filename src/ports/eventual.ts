// What is there at once, or later. Most of what a run asks for is answered from memory, and a promise for each answer would cost more than
// the answers: so work is written as steps that yield what has to be waited for, and nobody waits where nothing does.

/** What is there at once, or later. */
export type Eventual<T> = Promise<T> | T;

/** Work that yields each promise that it has to wait for. */
export type Steps<T> = Generator<Promise<unknown>, T, void>;

/** Whether there is anything to wait for. */
export function isPromise<T>(value: Eventual<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}

/** Does the work: at once as far as nothing has to be waited for. What a promise that it yields rejects with is thrown where it was yielded. */
export function follow<T>(steps: Steps<T>): Eventual<T> {
  const { done, value } = steps.next();
  return done === true ? value : followOn(steps, value);
}

async function followOn<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let pending = first;
  for (;;) {
    let failure: { readonly error: unknown } | undefined;
    try {
      await pending;
    } catch (error) {
      failure = { error };
    }
    const { done, value } = failure === undefined ? steps.next() : steps.throw(failure.error);
    if (done === true) return value;
    pending = value;
  }
}

/** What a promise comes to, within steps: `isPromise(found) ? yield* awaited(found) : found`. */
export function* awaited<T>(promise: Promise<T>): Steps<T> {
  const come: { value?: T } = {};
  yield Promise.resolve(promise).then((value) => void (come.value = value));
  return come.value as T;
}
