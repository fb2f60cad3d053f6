// The conversion webhook of a CRD: objects of one version in another one, and what Kubernetes demands of the answer.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
import { randomUUID } from "node:crypto";
import { messageOf } from "../../../ports/operator-error.ts";
import { fieldsList, fieldsOf, isFields, textOf, type ApiMeta, type ApiObject } from "../api-object.ts";
import { StatusError } from "../status-error.ts";
import { callWebhook } from "../webhooks/call-webhook.ts";
import type { ServiceSource } from "../service-endpoint.ts";
import { webhookAddress } from "../webhooks/webhook-address.ts";

const timeoutSeconds = 30;

/** Converts objects of one version, all at once. Errors: StatusError 500 in the words of kube-apiserver. */
export async function convertByWebhook(
  source: ServiceSource,
  clientConfig: unknown,
  objects: readonly ApiObject[],
  desiredAPIVersion: string,
): Promise<readonly ApiObject[]> {
  const [first] = objects;
  const kind = `${first?.apiVersion ?? ""}, Kind=${first?.kind ?? ""}`;
  const fail = (detail: string): never => {
    throw new StatusError(500, undefined, `conversion webhook for ${kind} ${detail}`);
  };
  const uid = randomUUID();
  const request = { uid, desiredAPIVersion, objects };
  let review: unknown;
  try {
    review = await callWebhook({
      address: webhookAddress(source, clientConfig, `?timeout=${timeoutSeconds}s`),
      body: { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", request },
      timeoutSeconds,
      userAgent: "kube-apiserver",
    });
  } catch (error) {
    return fail(`failed: ${messageOf(error)}`);
  }
  const { apiVersion, kind: reviewKind, response } = fieldsOf(review);
  if (reviewKind !== "ConversionReview" || apiVersion !== "apiextensions.k8s.io/v1") {
    fail(
      `failed: no kind ${JSON.stringify(textOf(reviewKind))} is registered for version ${JSON.stringify(textOf(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (!isFields(response)) return fail("failed: no response provided");
  if (response["uid"] !== uid) {
    fail(
      `failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response["uid"]))}`,
    );
  }
  const { status, message } = fieldsOf(response["result"]);
  if (status !== "Success") {
    const detail = `response.result.status was '${textOf(status)}', not 'Success'`;
    fail(`failed: ${textOf(message) === "" ? detail : textOf(message)}`);
  }
  const converted = fieldsList(response["convertedObjects"]);
  if (converted.length !== objects.length) {
    fail(`returned ${converted.length} objects, expected ${objects.length}`);
  }
  return objects.map((original, index) => {
    const object = (converted[index] ?? {}) as ApiObject;
    const invalid = (detail: string): never => fail(`returned invalid object at index ${index}: ${detail}`);
    if (object.apiVersion !== desiredAPIVersion) {
      invalid(`invalid groupVersion (expected ${desiredAPIVersion}, received ${textOf(object.apiVersion)})`);
    }
    if (object.kind !== original.kind) {
      invalid(`invalid kind (expected ${original.kind}, received ${textOf(object.kind)})`);
    }
    return { ...object, metadata: keptMetadata(original.metadata, object.metadata, fail) };
  });
}

/** A webhook may change labels and annotations; everything else of the metadata stays as it was. */
function keptMetadata(
  original: ApiMeta,
  converted: ApiMeta | undefined,
  fail: (detail: string) => never,
): ApiMeta {
  for (const field of ["name", "namespace", "uid"] as const) {
    const [before = "", after = ""] = [original[field], converted?.[field]];
    if (before === after) continue;
    const named = field === "uid" ? "UID" : field;
    fail(`returned invalid object: must have the same ${named}: ${before} != ${after}`);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original;
  const { labels, annotations } = converted ?? {};
  return {
    ...kept,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
