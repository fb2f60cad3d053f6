// Access and token reviews: everyone known may do everything, so the answers are simple.
import { fieldsOf, textOf, type ApiObject } from "../api-object.ts";
import type { ApiUser } from "../requests/users.ts";

/** Finds the user of a token. */
export interface TokenReader {
  findUser(token: string): ApiUser | undefined;
}

/** A review with its answer. */
export function answerReview(users: TokenReader, review: ApiObject): ApiObject {
  if (review.kind !== "TokenReview") {
    return { ...review, status: { allowed: true, reason: "the embedded cluster allows everything" } };
  }
  const user = users.findUser(textOf(fieldsOf(review["spec"])["token"]));
  if (user === undefined) return { ...review, status: { user: {}, error: "invalid bearer token" } };
  const { name, groups } = user;
  return { ...review, status: { authenticated: true, user: { username: name, groups: [...groups] } } };
}
