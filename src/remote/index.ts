/**
 * Calls of what an application offers where it runs.
 *
 * @module xstate-operator/remote
 */
export { createHttpClient } from "./http-client.ts";
export type { HttpAnswer, HttpCall, HttpClient, HttpClientOptions } from "./http-client.ts";
export { HttpError, isHttpError } from "./http-error.ts";
export { createSidecarClient } from "./sidecar-client.ts";
export type {
  ReconcileSource,
  SidecarCall,
  SidecarClient,
  SidecarClientOptions,
  SidecarReport,
} from "./sidecar-client.ts";
