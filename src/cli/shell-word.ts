// A path in a command that people copy into a shell. Pure.

/** The path as one word of a POSIX shell: as it is where a shell takes it so, else in quotes; never an option. */
export function shellWord(path: string): string {
  const word = path.startsWith("-") ? `./${path}` : path;
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
