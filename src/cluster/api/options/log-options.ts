// The query of a request for a container's log: read, and checked by the real server's rules.
import { forbiddenValue, invalidValue, type StatusCause } from "../../../schema/status-cause.ts";
import type { PodLogRequest } from "../../pods/pod-runtime.ts";
import { badRequest, invalidObject } from "../status-error.ts";
import { isTrue, readInteger } from "./list-options.ts";

/** What of a log is asked for. */
export type LogQuery = Pick<
  PodLogRequest,
  "follow" | "timestamps" | "previous" | "tailLines" | "limitBytes" | "sinceSeconds" | "sinceTime"
>;

/** Reads and checks the query. Errors: 400, 422. */
export function parseLogQuery(query: URLSearchParams, pod: string): LogQuery {
  const tailLines = readInteger(query.get("tailLines"));
  const limitBytes = readInteger(query.get("limitBytes"));
  const sinceSeconds = readInteger(query.get("sinceSeconds"));
  const sinceTime = query.get("sinceTime") ?? "";
  if (sinceTime !== "" && Number.isNaN(Date.parse(sinceTime))) {
    const quoted = JSON.stringify(sinceTime);
    throw badRequest(
      `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`,
    );
  }
  const errors: StatusCause[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalidValue("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalidValue("limitBytes", limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && sinceTime !== "") {
    errors.push(forbiddenValue("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue("sinceSeconds", sinceSeconds, "must be greater than 0"));
  }
  if (errors.length > 0) throw invalidObject("", "PodLogOptions", pod, errors);
  const isSet = (name: string): boolean => query.has(name) && isTrue(query.get(name));
  return {
    follow: isSet("follow"),
    timestamps: isSet("timestamps"),
    previous: isSet("previous"),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(sinceTime === "" ? {} : { sinceTime }),
  };
}
