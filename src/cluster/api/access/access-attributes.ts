// What a request asks to be allowed, in the words of Kubernetes' authorizer.
// https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes
import type { ApiUser } from "../requests/users.ts";

/** What is asked for of a resource. */
export interface ResourceAccess {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  /** Empty for a collection. */
  readonly name: string;
  /** Empty at the cluster scope. */
  readonly namespace: string;
}

/** What is asked for of a path that names no resource. */
export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

/** What is asked for. */
export type Access = ResourceAccess | PathAccess;

/** A decision, and why: the binding that allows it, or what kept bindings from being read. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** What a user may do. */
export interface ListedRules {
  readonly rules: readonly PolicyRule[];
  /** What kept some of them from being read; empty when nothing did. */
  readonly fault: string;
}

/** Decides what users may do. */
export interface Authorizer {
  decide(user: ApiUser, access: Access): Decision;
  /** What a user may do in a namespace, as far as it can be listed. */
  rulesFor(user: ApiUser, namespace: string): ListedRules;
}
