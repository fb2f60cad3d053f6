// What is served at one path of the webhook server, and what its reviews may throw.

/** What a review is given beside its body. */
export interface ReviewCall {
  /** Aborted when the API server does not wait any longer. */
  readonly signal: AbortSignal;
}

/** What a review came to. */
export interface ReviewAnswer {
  /** Sent as JSON. */
  readonly body: object;
  /** What is measured and logged; `failed`: the function threw. */
  readonly result: "allowed" | "refused" | "failed";
}

/** One path. */
export interface WebhookRoute {
  /** All of it: "/validate/widgets.example.com". */
  readonly path: string;
  /** Answers a parsed body, which is an object. */
  review(body: object, call: ReviewCall): Promise<ReviewAnswer>;
}

/** A body that is not a review of this path; answered with 400 and the message. */
export class MalformedReview extends Error {
  override readonly name = "MalformedReview";
}
