// What a word was meant to be that is none of the known ones: for people who write without a compiler.

/** The known word that was most likely meant; undefined when none is near. */
export function meantBy(word: string, known: Iterable<string>): string | undefined {
  return [...known].find((each) => isClose(each, word));
}

/** Equal but for case, one letter, or two neighbours exchanged; of long words also two letters. */
function isClose(a: string, b: string): boolean {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return true;
  const shortest = Math.min(left.length, right.length);
  const most = shortest >= 8 ? 2 : 1;
  const isNear = shortest >= 3 && Math.abs(left.length - right.length) <= most;
  return isNear && editsBetween(left, right) <= most;
}

/** Letters to add, to leave out or to replace, and neighbours to exchange, until one word is the other. */
function editsBetween(a: string, b: string): number {
  let [before, last]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, i) => i),
  ];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (same ? 0 : 1),
          exchanged ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
