// `authorizer` in the CEL of admission: whether somebody may do something else, asked of whatever decides about requests.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library
import type { CelEnvironment } from "../../../schema/cel/compile-expression.ts";
import type { Authorizer, Decision, ResourceAccess } from "../access/access-attributes.ts";
import { accountGroups, type ApiUser } from "../requests/users.ts";
import type { AdmissionAttributes } from "./admission-attributes.ts";

const typeName = "kubernetes.authorization";

/** What a user may do. */
class Asked {
  readonly authorizer: Authorizer;
  readonly user: ApiUser;
  constructor(authorizer: Authorizer, user: ApiUser) {
    this.authorizer = authorizer;
    this.user = user;
  }
}

/** What the sender of a request may do, and what he asks for. */
class AskedOfRequest extends Asked {
  readonly requestResource: ResourceCheck;
  constructor(authorizer: Authorizer, { user, ...attributes }: AdmissionAttributes) {
    super(authorizer, user);
    const { type, subresource = "", name, namespace } = attributes;
    const { group, plural } = type;
    this.requestResource = new ResourceCheck(this, { group, plural, subresource, name, namespace });
  }
}

/** A path that may be asked about. */
class PathCheck {
  readonly asked: Asked;
  readonly path: string;
  constructor(asked: Asked, path: string) {
    this.asked = asked;
    this.path = path;
  }
}

/** A group whose resources may be asked about. */
class GroupCheck {
  readonly asked: Asked;
  readonly group: string;
  constructor(asked: Asked, group: string) {
    this.asked = asked;
    this.group = group;
  }
}

/** A resource that may be asked about. */
class ResourceCheck {
  readonly asked: Asked;
  readonly access: Omit<ResourceAccess, "verb">;
  constructor(asked: Asked, access: Omit<ResourceAccess, "verb">) {
    this.asked = asked;
    this.access = access;
  }
  with(more: Partial<ResourceAccess>): ResourceCheck {
    return new ResourceCheck(this.asked, { ...this.access, ...more });
  }
}

/** What was decided. */
class Decided {
  readonly decision: Decision;
  constructor(decision: Decision) {
    this.decision = decision;
  }
}

/** Declares the variable `authorizer`, with everything that may be asked of it. */
export function registerAuthorizer(environment: CelEnvironment): void {
  const type = (name: string): string => `${typeName}.${name}`;
  environment.registerType(type("Decision"), Decided);
  environment.registerType(type("PathCheck"), PathCheck);
  environment.registerType(type("GroupCheck"), GroupCheck);
  environment.registerType(type("ResourceCheck"), ResourceCheck);
  environment.registerType(type("Authorizer"), Asked);
  environment.registerType({
    name: type("RequestAuthorizer"),
    ctor: AskedOfRequest,
    fields: { requestResource: type("ResourceCheck") },
  });
  const method = (
    of: string,
    call: string,
    result: string,
    run: (on: never, ...given: string[]) => unknown,
  ): unknown => environment.registerFunction(`${type(of)}.${call}: ${result}`, run);
  for (const own of ["Authorizer", "RequestAuthorizer"]) {
    method(own, "path(string)", type("PathCheck"), (asked: Asked, path = "") => new PathCheck(asked, path));
    method(
      own,
      "group(string)",
      type("GroupCheck"),
      (asked: Asked, group = "") => new GroupCheck(asked, group),
    );
    method(
      own,
      "serviceAccount(string, string)",
      type("Authorizer"),
      ({ authorizer }: Asked, namespace = "", name = "") =>
        new Asked(authorizer, {
          name: `system:serviceaccount:${namespace}:${name}`,
          // Nobody has authenticated it.
          groups: accountGroups(namespace),
        }),
    );
  }
  method(
    "PathCheck",
    "check(string)",
    type("Decision"),
    ({ asked: { authorizer, user }, path }: PathCheck, verb = "") =>
      new Decided(authorizer.decide(user, { verb, path })),
  );
  method(
    "GroupCheck",
    "resource(string)",
    type("ResourceCheck"),
    ({ asked, group }: GroupCheck, plural = "") => {
      return new ResourceCheck(asked, { group, plural, subresource: "", name: "", namespace: "" });
    },
  );
  for (const field of ["subresource", "namespace", "name"] as const) {
    method("ResourceCheck", `${field}(string)`, type("ResourceCheck"), (check: ResourceCheck, value = "") =>
      check.with({ [field]: value }),
    );
  }
  // Roles do not look at selectors.
  for (const selector of ["fieldSelector", "labelSelector"]) {
    method("ResourceCheck", `${selector}(string)`, type("ResourceCheck"), (check: ResourceCheck) => check);
  }
  method(
    "ResourceCheck",
    "check(string)",
    type("Decision"),
    ({ asked: { authorizer, user }, access }: ResourceCheck, verb = "") =>
      new Decided(authorizer.decide(user, { ...access, verb })),
  );
  method("Decision", "allowed()", "bool", ({ decision }: Decided) => decision.allowed);
  method("Decision", "reason()", "string", ({ decision }: Decided) => decision.reason);
  // Nothing here fails to decide.
  method("Decision", "errored()", "bool", () => false);
  method("Decision", "error()", "string", () => "");
  environment.registerVariable("authorizer", type("RequestAuthorizer"));
}

/** What `authorizer` is in a write. */
export function authorizerOf(authorizer: Authorizer, attributes: AdmissionAttributes): object {
  return new AskedOfRequest(authorizer, attributes);
}
