// What a request does, in the words of Kubernetes' authorizer and audit log.
// https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb

/** The verbs of requests for objects. */
export type HttpVerb =
  "create" | "update" | "patch" | "delete" | "deletecollection" | "get" | "list" | "watch";

/** The verb of an HTTP method: on one object when it is named, else on the collection. */
export function httpVerbOf(method: string, named: boolean, watch: boolean): HttpVerb {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      if (watch) return "watch";
      return named ? "get" : "list";
  }
}
