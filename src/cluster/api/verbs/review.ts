// Access and token reviews: who somebody is, and what he may do.
import type { Access, Authorizer, ListedRules } from "../access/access-attributes.ts";
import { userInfo } from "../admission/admission-attributes.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import {
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiMeta,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { apiAudience, type ApiUser, type UserDirectory } from "../requests/users.ts";
import { isFieldSelector } from "../selectors/field-selector.ts";
import { parseLabelSelector } from "../selectors/parse-label-selector.ts";
import { badRequest, invalidObject } from "../status-error.ts";
import { assertNamespace } from "./create.ts";
import { recordOwnership } from "./field-ownership.ts";
import { sentMetadata } from "./object-metadata.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";

/** What reviews are answered by. */
export interface ReviewSource {
  readonly users: Pick<UserDirectory, "review">;
  readonly authorizer: Authorizer;
}

/**
 * A review with its answer, for the user who sent it. Webhooks are asked about it; policies are not, lest nobody could be known any more.
 * Errors: 400, 422; those of admission.
 */
export function answerReview(
  core: ApiCore,
  source: ReviewSource,
  request: WriteObjectRequest,
  incoming: ApiObject,
): ApiObject {
  const { type, namespace, user: sender } = request;
  assertNamespace(incoming.metadata, namespace);
  const { managedFields, ...metadata } = sentMetadata(incoming.metadata, namespace);
  const own = recordOwnership(core, request, managedFields);
  let review = own({ ...incoming, metadata }, undefined);
  const gate = admissionGate(core, request, gatedWrite("CREATE", request));
  if (gate !== undefined) review = gate.mutate(review, undefined);
  assertAsked(review);
  const causes = type.behaviour.validate?.(review, undefined, undefined) ?? [];
  // The real server does not name the kind.
  if (causes.length > 0) throw invalidObject(type.group, "", "", causes);
  gate?.validate(review, undefined);
  return withAnswer(core, source, sender, review);
}

/** What reviews ask for has to be named. Errors: 400. */
function assertAsked({ kind, ...review }: ApiObject): void {
  const { token, namespace } = fieldsOf(review["spec"]);
  if (kind === "TokenReview" && textOf(token) === "") {
    throw badRequest("token is required for TokenReview in authentication");
  }
  if (kind === "SelfSubjectRulesReview" && textOf(namespace) === "")
    throw badRequest("no namespace on request");
}

function withAnswer(
  core: ApiCore,
  { users, authorizer }: ReviewSource,
  sender: ApiUser,
  review: ApiObject,
): ApiObject {
  const spec = fieldsOf(review["spec"]);
  const { kind, apiVersion } = review;
  switch (kind) {
    case "TokenReview":
      return { ...review, status: tokenStatus(users, spec) };
    case "SelfSubjectRulesReview": {
      const status = listedRules(authorizer.rulesFor(sender, textOf(spec["namespace"])));
      return { kind, apiVersion, metadata: {} as ApiMeta, spec: {}, status };
    }
    case "SelfSubjectReview": {
      const metadata = { creationTimestamp: timestampOf(core) } as ApiMeta;
      return { kind, apiVersion, metadata, status: { userInfo: userInfo(sender) } };
    }
    default: {
      const user = kind === "SelfSubjectAccessReview" ? sender : reviewedUser(spec);
      const { allowed, reason } = authorizer.decide(user, reviewedAccess(spec));
      const evaluationError = unreadSelectors(fieldsOf(spec["resourceAttributes"]));
      return {
        ...review,
        status: {
          allowed,
          ...(reason === "" ? {} : { reason }),
          ...(evaluationError === "" ? {} : { evaluationError }),
        },
      };
    }
  }
}

/** Whose token it is, if it is for any of the audiences; for this server where none is named. */
function tokenStatus(users: ReviewSource["users"], { token, audiences }: Fields): Fields {
  const asked = listOf(audiences).map(String);
  const read = users.review(textOf(token), asked.length === 0 ? [apiAudience] : asked);
  if ("failure" in read) return { user: {}, error: read.failure };
  return { authenticated: true, user: userInfo(read.user), audiences: [...read.audiences] };
}

/** Which selectors cannot be read; roles do not look at them. */
function unreadSelectors({ fieldSelector, labelSelector }: Fields): string {
  const rawOf = (selector: unknown): string => textOf(fieldsOf(selector)["rawSelector"]);
  return [
    ...(isFieldSelector(rawOf(fieldSelector)) ? [] : ["fieldSelector"]),
    ...(isLabelSelector(rawOf(labelSelector)) ? [] : ["labelSelector"]),
  ]
    .map((name) => `spec.resourceAttributes.${name} ignored due to parse error`)
    .join("; ");
}

function isLabelSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}

/** What may be done, as a review lists it. */
function listedRules({ rules, fault }: ListedRules): Fields {
  const ofResources = rules.filter(({ resources }) => resources.length > 0);
  const ofPaths = rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0);
  return {
    resourceRules: ofResources.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    })),
    nonResourceRules: ofPaths.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(fault === "" ? {} : { evaluationError: fault }),
  };
}

function reviewedUser(spec: Fields): ApiUser {
  return { name: textOf(spec["user"]), groups: listOf(spec["groups"]).map(String) };
}

function reviewedAccess({ resourceAttributes, nonResourceAttributes }: Fields): Access {
  if (isFields(nonResourceAttributes)) {
    return { verb: textOf(nonResourceAttributes["verb"]), path: textOf(nonResourceAttributes["path"]) };
  }
  const { verb, group, resource, subresource, name, namespace } = fieldsOf(resourceAttributes);
  return {
    verb: textOf(verb),
    group: textOf(group),
    plural: textOf(resource),
    subresource: textOf(subresource),
    name: textOf(name),
    namespace: textOf(namespace),
  };
}
