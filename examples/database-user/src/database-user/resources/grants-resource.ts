// What a user may do, as rows of the server: what is missing is granted, and what is not declared is revoked.
import type { StepContext } from "xstate-operator";
import type { MutableResource } from "xstate-operator/resources";
import type { DatabaseUser } from "../database-user.ts";
import { markOf, withServer } from "../server.ts";

interface Grant {
  readonly table: string;
  readonly privilege: string;
}

/** The grants of a DatabaseUser. */
export class GrantsResource implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  readonly #context: StepContext<DatabaseUser>;
  readonly #declared: readonly Grant[];
  #live: readonly Grant[] = [];

  constructor(context: StepContext<DatabaseUser>) {
    const { namespace, name } = context.cr.metadata;
    this.#context = context;
    this.#declared = context.cr.spec.grants.flatMap(({ table, privileges }) =>
      privileges.map((privilege) => ({ table, privilege })),
    );
    this.index = `${namespace} Grants/${name} users.example.com/v1`;
    this.kindName = `Grants/${name}`;
  }

  get exists(): boolean {
    return this.#live.length > 0;
  }

  async lookUp(): Promise<void> {
    const { cr } = this.#context;
    this.#live = await withServer(this.#context, async (client) => {
      const { rows } = await client.query<Grant>(
        `SELECT table_name AS table, privilege_type AS privilege
           FROM information_schema.role_table_grants JOIN pg_roles ON rolname = grantee
          WHERE grantee = $1 AND table_schema = 'public' AND shobj_description(oid, 'pg_authid') = $2`,
        [cr.metadata.name, markOf(cr)],
      );
      return rows;
    });
  }

  mutate(): void {
    // What is declared is all there is to know.
  }

  needsUpdate(): boolean {
    return this.#missing().length > 0 || this.#surplus().length > 0;
  }

  create(): Promise<void> {
    return this.#change(this.#missing(), []);
  }

  update(): Promise<void> {
    return this.#change(this.#missing(), this.#surplus());
  }

  delete(): Promise<void> {
    return this.#change([], this.#live);
  }

  #missing(): readonly Grant[] {
    return without(this.#declared, this.#live);
  }

  #surplus(): readonly Grant[] {
    return without(this.#live, this.#declared);
  }

  #change(granted: readonly Grant[], revoked: readonly Grant[]): Promise<void> {
    const { name } = this.#context.cr.metadata;
    return withServer(this.#context, async (client) => {
      const role = client.escapeIdentifier(name);
      const on = ({ privilege, table }: Grant): string =>
        `${privilege} ON public.${client.escapeIdentifier(table)}`;
      for (const each of revoked) await client.query(`REVOKE ${on(each)} FROM ${role}`);
      for (const each of granted) await client.query(`GRANT ${on(each)} TO ${role}`);
    });
  }
}

function without(grants: readonly Grant[], others: readonly Grant[]): readonly Grant[] {
  return grants.filter(
    (one) => !others.some((other) => other.table === one.table && other.privilege === one.privilege),
  );
}
