// Prints what one piece of work costs: CPU, not time, because other processes may share the machine.

/** Warms up with a tenth, then runs the work so many times and prints microseconds of CPU for each. */
export async function measure(what: string, times: number, work: (index: number) => unknown): Promise<void> {
  for (let index = 0; index < times / 10; index += 1) await work(index);
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) await work(index);
  const { user, system } = process.cpuUsage(before);
  print(what, `${((user + system) / times).toFixed(1)} us`);
}

/** Prints one figure. */
export function print(what: string, figure: string): void {
  console.log(`${what.padEnd(56)} ${figure.padStart(14)}`);
}

/** Megabytes in use after a collection; needs `node --expose-gc`. */
export function usedMegabytes(): { readonly heap: number; readonly resident: number } {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / 1e6, resident: rss / 1e6 };
}
