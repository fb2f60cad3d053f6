import { describe, expect, it } from "vitest";
import {
  fieldManagerConflictsOf,
  isAlreadyExists,
  isConflict,
  isConnectionError,
  isFieldManagerConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
} from "../../src/client/api-error.ts";
import { toApiError } from "../../src/client/status-body.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";

const refused = (status: number, reason: string, details: object = {}) =>
  toApiError({
    status,
    request: "GET /x",
    body: JSON.stringify({ kind: "Status", code: status, reason, message: "because", details }),
  });

describe("API errors", () => {
  const guards = {
    isNotFound,
    isConflict,
    isAlreadyExists,
    isGone,
    isForbidden,
    isInvalid,
    isTooManyRequests,
  };
  it.each([
    [404, "NotFound", "API_NOT_FOUND", "isNotFound"],
    [409, "Conflict", "API_CONFLICT", "isConflict"],
    [409, "AlreadyExists", "API_ALREADY_EXISTS", "isAlreadyExists"],
    [410, "Expired", "API_GONE", "isGone"],
    [410, "Gone", "API_GONE", "isGone"],
    [403, "Forbidden", "API_FORBIDDEN", "isForbidden"],
    [422, "Invalid", "API_INVALID", "isInvalid"],
    [429, "TooManyRequests", "API_TOO_MANY_REQUESTS", "isTooManyRequests"],
    [503, "ServiceUnavailable", "API_UNAVAILABLE", ""],
    [500, "InternalError", "API_ERROR", ""],
  ])("%i %s has the code %s and satisfies exactly one guard", (status, reason, code, guard) => {
    const error = refused(status, reason);
    expect(error.code).toBe(code);
    const satisfied = Object.entries(guards).filter(([, is]) => is(error));
    expect(satisfied.map(([name]) => name)).toEqual(guard === "" ? [] : [guard]);
  });

  it("are told apart from failed connections and from anything else", () => {
    expect(isConnectionError(refused(500, "InternalError"))).toBe(false);
    expect(isConnectionError(new OperatorError("CONNECTION_FAILED", "x"))).toBe(true);
    expect(isConnectionError(new OperatorError("REQUEST_TIMEOUT", "x"))).toBe(true);
    expect(isNotFound(new Error("404"))).toBe(false);
    expect(isNotFound(undefined)).toBe(false);
  });

  it("name fields and owners of an apply conflict", () => {
    const error = refused(409, "Conflict", {
      causes: [
        { reason: "FieldManagerConflict", message: 'conflict with "m1"', field: ".spec.image" },
        {
          reason: "FieldManagerConflict",
          message: 'conflict with "m 2" with subresource "status" using v1',
          field: ".x",
        },
        { reason: "Other", message: "something" },
      ],
    });
    expect(isFieldManagerConflict(error)).toBe(true);
    expect(fieldManagerConflictsOf(error)).toEqual([
      { field: ".spec.image", manager: "m1" },
      { field: ".x", manager: "m 2" },
    ]);
    expect(isFieldManagerConflict(refused(409, "Conflict"))).toBe(false);
  });

  it("are made of plain text too, which is quoted up to a limit", () => {
    const error = toApiError({
      status: 404,
      body: `404 page not found\n${"x".repeat(1_000)}`,
      request: "GET /nope",
    });
    expect(error).toMatchObject({ status: 404, reason: "NotFound", code: "API_NOT_FOUND" });
    expect(error.message).toContain("GET /nope: the server answered 404: 404 page not found");
    expect(error.message.length).toBeLessThan(600);
  });

  it.each([
    ["the header", "4", {}, 4_000],
    ["the details", undefined, { retryAfterSeconds: 2 }, 2_000],
    ["the header before the details", "4", { retryAfterSeconds: 2 }, 4_000],
    ["nowhere when the header is a date", "Wed, 21 Oct 2026 07:28:00 GMT", {}, undefined],
  ])("take the time to wait from %s", (_, header, details, expected) => {
    const body = JSON.stringify({ kind: "Status", code: 503, reason: "ServiceUnavailable", details });
    expect(toApiError({ status: 503, body, retryAfter: header, request: "GET /x" }).retryAfter).toBe(
      expected,
    );
  });
});
