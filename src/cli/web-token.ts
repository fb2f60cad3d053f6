// The token of the pages that a command serves.
import type { Terminal } from "./terminal.ts";

/** The one that the environment gives, so that a page may go on with the next process; without it a random one is made. */
export function webToken({ env }: Pick<Terminal, "env">): { readonly token?: string } {
  const token = env["XSTATE_OPERATOR_TOKEN"];
  return token === undefined || token === "" ? {} : { token };
}
