// The conversion webhook of one kind as a route of the server.
import type { Kind } from "../kinds/define-kind.ts";
import { conversionPathOf } from "../kinds/versions/conversion-path.ts";
import { reviewConversion } from "../kinds/versions/conversion-review.ts";
import type { KubeObject } from "../meta/object.ts";
import type { Logger } from "../ports/logger.ts";
import { isOperatorError } from "../ports/operator-error.ts";
import { MalformedReview, type WebhookRoute } from "./webhook-route.ts";

/** What the route needs. */
export interface ConversionParts {
  readonly log: Logger;
  /** Leaves secrets out of a text. */
  readonly mask: (text: string) => string;
}

/** Failures that one line of the log has. */
const named = 5;

/** Where the versions of a kind are converted. */
export function conversionRoute(kind: Kind<KubeObject>, { log, mask }: ConversionParts): WebhookRoute {
  return {
    path: conversionPathOf(kind),
    review: (body) => {
      try {
        const { answer, failures } = reviewConversion(kind, body);
        if (failures.length > 0) {
          const shown = failures.slice(0, named).map(mask);
          log.warn(
            { kind: kind.kind, count: failures.length, failures: shown },
            "objects could not be converted",
          );
        }
        return Promise.resolve({ body: answer, result: failures.length === 0 ? "allowed" : "failed" });
      } catch (error) {
        if (!isOperatorError(error, "CONVERSION_REVIEW_MALFORMED")) throw error;
        throw new MalformedReview(error.message);
      }
    },
  };
}
