// Access and token reviews: who somebody is, and what he may do.
import { userInfo } from "../admission/admission-attributes.ts";
import { badRequest } from "../status-error.ts";
import type { Access, Authorizer, PolicyRule } from "../access/access-attributes.ts";
import { fieldsOf, isFields, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import type { ApiUser, TokenReader } from "../requests/users.ts";

/** What reviews are answered by. */
export interface ReviewSource {
  readonly users: TokenReader;
  readonly authorizer: Authorizer;
}

/** A review with its answer, for the user who sent it. */
export function answerReview(
  { users, authorizer }: ReviewSource,
  review: ApiObject,
  sender: ApiUser,
): ApiObject {
  const spec = fieldsOf(review["spec"]);
  switch (review.kind) {
    case "TokenReview": {
      const user = users.findUser(textOf(spec["token"]));
      if (user === undefined) return { ...review, status: { user: {}, error: "invalid bearer token" } };
      return { ...review, status: { authenticated: true, user: userInfo(user) } };
    }
    case "SelfSubjectRulesReview": {
      const namespace = textOf(spec["namespace"]);
      if (namespace === "") throw badRequest("no namespace on request");
      return { ...review, spec: {}, status: listedRules(authorizer.rulesFor(sender, namespace)) };
    }
    case "SelfSubjectReview":
      return { ...review, status: { userInfo: userInfo(sender) } };
    default: {
      const user = review.kind === "SelfSubjectAccessReview" ? sender : reviewedUser(spec);
      const { allowed, reason } = authorizer.decide(user, reviewedAccess(spec));
      return { ...review, status: { allowed, ...(reason === "" ? {} : { reason }) } };
    }
  }
}

/** What may be done, as a review lists it. */
function listedRules(rules: readonly PolicyRule[]): Fields {
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
