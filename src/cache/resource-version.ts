// Which of two states is newer: resourceVersions of one type in one cluster are integers that grow.
// Official since KEP-5504: https://github.com/kubernetes/enhancements/issues/5504

const digits = /^(0|[1-9]\d*)$/;

/**
 * Negative when the first is older, positive when it is newer, 0 when they are equal.
 * Of arbitrary length, so never parsed as numbers. Versions that are not integers only compare equal or newer: whoever
 * sends them wants every event taken as news.
 */
export function compareResourceVersions(one: string, other: string): number {
  if (one === other) return 0;
  if (!digits.test(one) || !digits.test(other)) return 1;
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : 1;
}
