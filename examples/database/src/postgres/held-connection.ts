// A connection that is opened when it is first needed and held, so that whoever holds it notices when the server ends.
import { Client } from "pg";
import { clientOptions, ServerUnreachable, type ServerAddress } from "./connection.ts";

/** See the head of this file. */
export class HeldConnection {
  readonly #address: ServerAddress;
  readonly #onLost: () => void;
  #client: Promise<Client> | undefined;

  /** `onLost` is called when the server, or the network, has ended the connection. */
  constructor(address: ServerAddress, onLost: () => void) {
    this.#address = address;
    this.#onLost = onLost;
  }

  /** Asks something; the next question opens another connection when this one fails. Errors: {@link ServerUnreachable}. */
  async ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const opening = (this.#client ??= this.#open());
    try {
      return await work(await opening);
    } catch (error) {
      if (this.#client === opening) this.#client = undefined;
      void opening.then((client) => client.end()).catch(() => undefined);
      throw new ServerUnreachable(this.#address, error);
    }
  }

  async #open(): Promise<Client> {
    const client = new Client(clientOptions(this.#address));
    client.on("error", () => undefined); // A lost connection also rejects the statement under way.
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.once("end", () => {
      if (this.#client === undefined) return;
      this.#client = undefined;
      this.#onLost();
    });
    return client;
  }
}
