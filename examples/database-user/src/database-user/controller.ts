// The controller of database users: a Secret with the password, the role, and what it may do; in this order, and undone in reverse.
import { randomBytes } from "node:crypto";
import { defineController, type StepContext } from "xstate-operator";
import { Secret, secretValue } from "xstate-operator/kinds";
import type { AddOptions } from "xstate-operator/resources";
import { DatabaseUser } from "./database-user.ts";
import { GrantsResource } from "./resources/grants-resource.ts";
import { RoleResource } from "./resources/role-resource.ts";

export const databaseUserController = defineController(DatabaseUser, {
  owns: [Secret],
  steps: {
    ObjectsGetter: (context) => {
      const { cr, lookUp, registry } = context;
      const { namespace, name } = cr.metadata;
      const key = { namespace, name: `${name}-login` };
      const existing = lookUp(Secret, key);
      // Made once: a Secret that exists keeps the one that it has.
      const password =
        (existing && secretValue(existing, "password")) ?? randomBytes(24).toString("base64url");
      const login = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: key,
        type: "Opaque",
        data: Object.fromEntries(
          Object.entries({ username: name, password }).map(([field, value]) => [
            field,
            Buffer.from(value).toString("base64"),
          ]),
        ),
      } as const;
      registry.add(login);
      registerRows(context, password, [login]);
    },
    CRFinalizer: (context) => registerRows(context, "", []),
  },
});

/** The rows: a role that has no password yet is no role of ours, and one that something is granted to cannot be dropped. */
function registerRows(
  context: StepContext<DatabaseUser>,
  password: string,
  after: NonNullable<AddOptions<DatabaseUser>["after"]>,
): void {
  const role = new RoleResource(context, password);
  context.registry.add(role, { after });
  context.registry.add(new GrantsResource(context), { after: [role] });
}
