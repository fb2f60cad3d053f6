// Turns of the event loop for what asks the server without a socket: what comes from sockets and timers has its turn in between,
// however much there is to do.

/** How many requests one turn of the event loop carries out at most. */
const mostInTurn = 16;

/** A function whose promise resolves when it is the caller's turn; callers have theirs in the order in which they ask. */
export function eventLoopTurns(): () => Promise<void> {
  let waiting: (() => void)[] = [];
  let isComing = false;
  const take = (): void => {
    const next = waiting.slice(0, mostInTurn);
    waiting = waiting.slice(mostInTurn);
    isComing = waiting.length > 0;
    if (isComing) setImmediate(take);
    for (const begin of next) begin();
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (isComing) return;
      isComing = true;
      setImmediate(take);
    });
}
