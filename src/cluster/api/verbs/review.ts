// Access and token reviews: everyone known may do everything, so the answers are simple.
import type { ApiObject } from "../api-object.ts";
import type { ObjectRequest } from "./object-request.ts";

/** A review with its answer. */
export function answerReview({ type, user }: ObjectRequest, review: ApiObject): ApiObject {
  if (type.kind === "TokenReview") {
    const { name, groups } = user;
    return { ...review, status: { authenticated: true, user: { username: name, groups: [...groups] } } };
  }
  return { ...review, status: { allowed: true, reason: "the embedded cluster allows everything" } };
}
