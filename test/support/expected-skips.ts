// Which tests may be skipped where everything that they need is there: the long ones that somebody has to ask for, and those of
// what only one of the two API servers has. With SKIPS=expected, as .ci/run sets it, any other skip is a failure.

const expected: readonly RegExp[] = [
  /^set (?:LONG_TESTS=all|SOAK_MINUTES|SHARDING_CHAOS_SECONDS|CRASH_POINTS=all|KUBECTL_COMMANDS=all)/,
  /^only the embedded API server can be told to refuse$/,
  /^KUBEBUILDER_ASSETS is not set$/,
  /^not root on Linux$/,
  /^there is no \/proc$/,
  /^(?:bash|zsh|fish) is not installed$/,
  /^no file systems of one's own$/,
  /^kube-apiserver reaches no pod at 127\.0\.0\.0\/8, and this machine's loopback has no other address$/,
];

/** Those of the reasons that are not expected; `more` is a reason that holds on this machine. */
export function unexpectedSkips(reasons: Iterable<string>, more?: string): readonly string[] {
  return [...reasons].filter((reason) => reason !== more && !expected.some((each) => each.test(reason)));
}
