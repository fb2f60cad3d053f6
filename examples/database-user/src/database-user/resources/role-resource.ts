// The row of a user in the server: a role that may log in, with our mark on it. Its name is its own, so that it is there once.
import { TerminalError, type StepContext } from "xstate-operator";
import type { MutableResource, ResourceReport } from "xstate-operator/resources";
import type { DatabaseUser } from "../database-user.ts";
import { isVerifierOf, scramVerifier } from "../scram.ts";
import { markOf, withServer } from "../server.ts";

/** Milliseconds between two looks for what others have changed in the server. */
const lookAgain = 10_000;

interface Row {
  readonly login: boolean;
  readonly comment: string | null;
  readonly verifier: string | null;
}

/** The role of a DatabaseUser. */
export class RoleResource implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  readonly #context: StepContext<DatabaseUser>;
  readonly #password: string;
  readonly #mark: string;
  #row: Row | undefined;

  constructor(context: StepContext<DatabaseUser>, password: string) {
    const { namespace, name } = context.cr.metadata;
    this.#context = context;
    this.#password = password;
    this.#mark = markOf(context.cr);
    this.index = `${namespace} Role/${name} users.example.com/v1`;
    this.kindName = `Role/${name}`;
  }

  /** What somebody else has made is not it. */
  get exists(): boolean {
    return this.#row?.comment === this.#mark;
  }

  async lookUp(): Promise<void> {
    const { name } = this.#context.cr.metadata;
    this.#row = await withServer(this.#context, async (client) => {
      const { rows } = await client.query<Row>(
        `SELECT rolcanlogin AS login, shobj_description(oid, 'pg_authid') AS comment, rolpassword AS verifier
           FROM pg_authid WHERE rolname = $1`,
        [name],
      );
      return rows[0];
    });
  }

  /** The server tells nobody what others do in it, so it is looked again. */
  mutate(): ResourceReport {
    if (this.#row !== undefined && !this.exists)
      throw new TerminalError("ROLE_NOT_OURS", `${this.kindName} was made by somebody else`);
    return { requeueAfter: lookAgain, pending: false };
  }

  needsUpdate(): boolean {
    return this.#row?.login !== true || !isVerifierOf(this.#row.verifier, this.#password);
  }

  /** In one transaction: a role without our mark would be nobody's. */
  create(): Promise<void> {
    return this.#write("CREATE");
  }

  update(): Promise<void> {
    return this.#write("ALTER");
  }

  async delete(): Promise<void> {
    const { name } = this.#context.cr.metadata;
    await withServer(this.#context, (client) => client.query(`DROP ROLE ${client.escapeIdentifier(name)}`));
  }

  #write(verb: "CREATE" | "ALTER"): Promise<void> {
    const { name } = this.#context.cr.metadata;
    return withServer(this.#context, async (client) => {
      const role = client.escapeIdentifier(name);
      const verifier = client.escapeLiteral(scramVerifier(this.#password));
      await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${verifier}`);
      await client.query(`COMMENT ON ROLE ${role} IS ${client.escapeLiteral(this.#mark)}`);
    });
  }
}
