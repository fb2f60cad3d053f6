// Which refusals say that a field cannot be changed once it is set, and what is said of them.

/** In the words of kube-apiserver's own checks, and of most rules of custom types. */
const immutable =
  /immutable|\b(?:may|can|must) ?not (?:be )?(?:change|updated|modified)|\bupdates to .* (?:are|is) forbidden|\bmay not change once set/i;

/** Whether an API server's message says that what exists cannot be changed. */
export function isImmutable(message: string): boolean {
  return immutable.test(message);
}
