/**
 * Talking to an API server.
 *
 * @module xstate-operator/client
 */

// Connecting
export { loadConnection } from "./kube-config.ts";
export type { LoadConnectionOptions } from "./kube-config.ts";
export type { Authentication, Connection, HttpProxy } from "./connection.ts";
export { createKubeClient } from "./http-client.ts";
export type { KubeClientOptions } from "./http-client.ts";

// Names of objects and types
export { formatKey, parseKey } from "../meta/object-key.ts";
export { apiVersionOf } from "../meta/resource-type.ts";

// Requests
export type { AnyManifest } from "../meta/object.ts";
export type {
  ApplyOptions,
  DeleteOptions,
  ExecOptions,
  ExecResult,
  KubeClient,
  ListOptions,
  ObjectList,
  Patch,
  RawRequest,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WatchReceiver,
  WriteOptions,
} from "./kube-client.ts";

// Errors
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
} from "./api-error.ts";
