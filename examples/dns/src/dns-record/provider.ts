// The provider's interface: HTTP and JSON, with identifiers of its own. It takes two equal requests for two records.
import { createHttpClient, isHttpError, type HttpClientOptions } from "xstate-operator/remote";

/** What a record says. */
export interface RecordContent {
  readonly name: string;
  readonly type: string;
  readonly values: readonly string[];
  readonly ttl: number;
}

/** A record at the provider. */
export interface ProviderRecord extends RecordContent {
  /** Chosen by the provider. */
  readonly id: string;
  /** Kept by the provider as it is given. */
  readonly comment: string;
}

/** The records of one account. */
export interface Provider {
  /** The records with a comment, the oldest first. */
  list(comment: string, signal: AbortSignal): Promise<readonly ProviderRecord[]>;
  create(content: RecordContent & { readonly comment: string }, signal: AbortSignal): Promise<ProviderRecord>;
  update(id: string, content: RecordContent, signal: AbortSignal): Promise<ProviderRecord>;
  /** One that is gone is no error. */
  delete(id: string, signal: AbortSignal): Promise<void>;
}

/** The provider at an address. The token is read from its file, and is in no message. */
export function createProvider({
  url,
  ...options
}: Omit<HttpClientOptions, "baseUrl"> & { readonly url: string }): Provider {
  const http = createHttpClient({ ...options, baseUrl: url });
  return {
    async list(comment, signal) {
      const { body } = await http.send({ url: `/records?comment=${encodeURIComponent(comment)}`, signal });
      return (body as { readonly records: readonly ProviderRecord[] }).records;
    },
    // A POST: sent once, whatever becomes of its answer.
    create: async (content, signal) =>
      (await http.send({ url: "/records", method: "POST", body: content, signal })).body as ProviderRecord,
    update: async (id, content, signal) =>
      (await http.send({ url: `/records/${id}`, method: "PUT", body: content, signal }))
        .body as ProviderRecord,
    async delete(id, signal) {
      try {
        await http.send({ url: `/records/${id}`, method: "DELETE", signal });
      } catch (error) {
        if (!isHttpError(error, 404)) throw error;
      }
    },
  };
}
