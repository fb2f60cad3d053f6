// Whether somebody answers where the API server is to call webhooks: asked by a replica that could take its place.
import { request } from "node:https";

/** Milliseconds that an answer may take. */
const patience = 2_000;

/**
 * Whether webhooks are served at a URL, with a certificate of these authorities (PEM; default the system's), by a process that
 * stays. Never rejects.
 */
export function isAnswering(
  url: string,
  authorities: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const asking = request(new URL("/", url), {
        agent: false,
        timeout: patience,
        signal,
        ...(authorities === undefined ? {} : { ca: authorities }),
      });
      asking.once("response", (response) => {
        // One that is about to stop says that it is unavailable.
        resolve((response.statusCode ?? 500) < 500);
        response.destroy();
      });
      asking.once("timeout", () => asking.destroy());
      asking.once("error", () => resolve(false));
      asking.once("close", () => resolve(false));
      asking.end();
    } catch {
      resolve(false); // Not a URL.
    }
  });
}
