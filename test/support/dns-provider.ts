// A DNS provider for tests, over HTTP: it chooses identifiers, takes two equal requests for two records, and loses answers at will.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProviderRecord, RecordContent } from "../../examples/dns/src/dns-record/provider.ts";

/** A provider that runs. */
export interface DnsProvider {
  readonly url: string;
  /** What is stored. */
  readonly records: readonly ProviderRecord[];
  /** Creations that were carried out so far. */
  readonly creations: number;
  /** Changes a record, as somebody at the provider's own page. */
  edit(id: string, change: Partial<RecordContent>): void;
  /**
   * What becomes of the next creation: carried out, and its answer is lost; carried out so many milliseconds after the connection was
   * cut; or carried out, and not answered before `release` is called.
   */
  onNextCreation(fate: "lose the answer" | number | { readonly held: () => void }): void;
  /** Answers creations with this status, and makes nothing. */
  refuse(status: number | undefined): void;
  stop(): Promise<void>;
}

/** Starts a provider that obeys this token. */
export async function startDnsProvider(token: string): Promise<DnsProvider> {
  const records = new Map<string, ProviderRecord>();
  let creations = 0;
  let fate: Parameters<DnsProvider["onNextCreation"]>[0] | undefined;
  let refused: number | undefined;
  const create = (body: Omit<ProviderRecord, "id">): ProviderRecord => {
    creations += 1;
    const record = { ...body, id: `r${creations}` };
    records.set(record.id, record);
    return record;
  };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const answer = (status: number, value?: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(value === undefined ? "" : JSON.stringify(value));
      };
      const url = new URL(request.url ?? "/", "http://provider");
      const id = url.pathname.split("/")[2] ?? "";
      if (request.headers.authorization !== `Bearer ${token}`)
        return answer(401, { message: "who are you?" });
      if (refused !== undefined && request.method === "POST") return answer(refused, { message: "not now" });
      if (request.method === "GET") {
        const comment = url.searchParams.get("comment");
        return answer(200, { records: [...records.values()].filter((each) => each.comment === comment) });
      }
      if (request.method === "POST") {
        const becomes = fate;
        fate = undefined;
        if (typeof becomes === "number") {
          setTimeout(() => create(body as ProviderRecord), becomes);
          return response.destroy();
        }
        const record = create(body as ProviderRecord);
        if (becomes === "lose the answer") return response.destroy();
        if (becomes !== undefined) return becomes.held();
        return answer(201, record);
      }
      const known = records.get(id);
      if (known === undefined) return answer(404, { message: "no such record" });
      if (request.method === "DELETE") records.delete(id);
      else records.set(id, { ...known, ...(body as RecordContent) });
      return answer(200, records.get(id) ?? {});
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get records() {
      return [...records.values()];
    },
    get creations() {
      return creations;
    },
    edit: (id, change) => void records.set(id, { ...(records.get(id) as ProviderRecord), ...change }),
    onNextCreation: (next) => (fate = next),
    refuse: (status) => (refused = status),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
  return text === "" ? undefined : JSON.parse(text);
}
