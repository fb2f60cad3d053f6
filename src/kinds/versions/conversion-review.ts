// The API server's question to convert objects, and the answer to it. Pure; served by a webhook.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
import { parseApiVersion } from "../../meta/resource-type.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { convertObject, failedAnnotation, type ConvertedKind, type ConvertedObject } from "./convert.ts";

/** The answer, as it is sent. */
export interface ConversionAnswer {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "ConversionReview";
  readonly response: {
    readonly uid: string;
    readonly result:
      { readonly status: "Success" } | { readonly status: "Failure"; readonly message: string };
    readonly convertedObjects?: readonly ConvertedObject[];
  };
}

/** An answer, and what there is to say about it. */
export interface ReviewedConversion {
  readonly answer: ConversionAnswer;
  /** One line for each object that could not be converted, and was marked instead. */
  readonly failures: readonly string[];
}

/**
 * Converts the objects of a review: all of them, or none with the reason. An object that the author's functions cannot convert
 * is marked and does not keep the others from being read.
 *
 * **Errors**: `CONVERSION_REVIEW_MALFORMED` for what is not a ConversionReview of v1.
 */
export function reviewConversion(kind: ConvertedKind, review: unknown): ReviewedConversion {
  const { uid, desiredAPIVersion, objects } = requestOf(review);
  const respond = (response: Omit<ConversionAnswer["response"], "uid">): ConversionAnswer => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid, ...response },
  });
  try {
    const { group, version } = parseApiVersion(desiredAPIVersion);
    refuseOtherGroup(kind, group);
    const convertedObjects = objects.map((object) => {
      refuseOtherGroup(kind, parseApiVersion(object.apiVersion).group);
      return convertObject(kind, object, version);
    });
    return {
      answer: respond({ result: { status: "Success" }, convertedObjects }),
      failures: convertedObjects.flatMap(failureOf),
    };
  } catch (error) {
    const message = messageOf(error);
    return { answer: respond({ result: { status: "Failure", message } }), failures: [message] };
  }
}

function refuseOtherGroup({ kind, group }: ConvertedKind, asked: string): void {
  if (asked === group) return;
  throw new OperatorError("VERSION_UNKNOWN", `${kind} is of the group ${group}, not of ${asked}`, {
    remedy: "Correct the conversion webhook of the CustomResourceDefinition.",
  });
}

function failureOf(object: ConvertedObject): readonly string[] {
  const {
    annotations = {},
    namespace,
    name,
  } = (object.metadata ?? {}) as {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly namespace?: string;
    readonly name?: string;
  };
  const failure = annotations[failedAnnotation];
  if (failure === undefined) return [];
  return [`${[namespace, name].filter((part) => part !== undefined).join("/")}: ${failure}`];
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly ConvertedObject[];
}

function requestOf(review: unknown): ConversionRequest {
  const { apiVersion, kind, request } = recordOf(review);
  const { uid, desiredAPIVersion, objects } = recordOf(request);
  const isReview = apiVersion === "apiextensions.k8s.io/v1" && kind === "ConversionReview";
  const isWhole =
    typeof uid === "string" &&
    typeof desiredAPIVersion === "string" &&
    Array.isArray(objects) &&
    objects.every((object) => typeof recordOf(object)["apiVersion"] === "string");
  if (isReview && isWhole) return { uid, desiredAPIVersion, objects: objects as readonly ConvertedObject[] };
  throw new OperatorError(
    "CONVERSION_REVIEW_MALFORMED",
    "not a ConversionReview of apiextensions.k8s.io/v1 with a uid, a desiredAPIVersion and objects",
    { remedy: "Only the API server is expected to send these; check who else does." },
  );
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
