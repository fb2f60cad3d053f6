// The command line that sends an event: what an explanation tells people to type.

/** From `database/orders -n shop` and `retry`: `xstate-operator send database/orders retry -n shop`. */
export function sendLine(typed: string, event: string): string {
  const [name = "", ...options] = typed.split(" ");
  return ["xstate-operator send", name, event, ...options].join(" ");
}
