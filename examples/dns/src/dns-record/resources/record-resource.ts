// A record at the provider as a resource: looked for by our mark, created once, repaired, and deleted with its DnsRecord.
import { isDeepStrictEqual } from "node:util";
import { RequeueError, type StepContext } from "xstate-operator";
import { isHttpError } from "xstate-operator/remote";
import type { MutableResource, ResourceReport } from "xstate-operator/resources";
import type { DnsRecord } from "../dns-record.ts";
import type { Provider, ProviderRecord, RecordContent } from "../provider.ts";

/** How long things take, in milliseconds. */
export interface Patience {
  /** Within this time the provider shows a record whose creation it was asked for, or never. */
  readonly settle: number;
  /** Between two looks for what others have changed at the provider. */
  readonly lookAgain: number;
}

/** The record of a DnsRecord. */
export class RecordResource implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  readonly #context: StepContext<DnsRecord>;
  readonly #provider: Provider;
  readonly #patience: Patience;
  /** By which the provider's records are known to be ours, and whose they are. */
  readonly #comment: string;
  readonly #content: RecordContent;
  #found: readonly ProviderRecord[] = [];

  constructor(context: StepContext<DnsRecord>, provider: Provider, patience: Patience) {
    const { namespace, name, uid } = context.cr.metadata;
    const { spec } = context.cr;
    this.#context = context;
    this.#provider = provider;
    this.#patience = patience;
    this.#comment = `dns-operator/${uid}`;
    this.#content = { name: spec.name, type: spec.type, values: spec.values, ttl: spec.ttl };
    this.index = `${namespace} Record/${name} dns.example.com/v1`;
    this.kindName = `Record/${name}`;
  }

  get exists(): boolean {
    return this.#found.length > 0;
  }

  async lookUp(): Promise<void> {
    this.#found = await this.#provider.list(this.#comment, this.#context.signal);
  }

  /** Nobody tells of changes at the provider, so it is looked again. */
  mutate(): ResourceReport {
    return { requeueAfter: this.#patience.lookAgain, pending: false };
  }

  needsUpdate(): boolean {
    const [record] = this.#found;
    return record === undefined || !isDeepStrictEqual(contentOf(record), this.#content);
  }

  /** The intent is stored before the request is sent: whoever finds it there knows that a record may still appear. */
  async create(): Promise<void> {
    const { status, signal, clock } = this.#context;
    const rest = this.#unsettledFor();
    if (rest > 0) throw new RequeueError("RECORD_UNSETTLED", `${this.kindName} may still appear`, rest);
    status.merge({ creatingSince: new Date(clock.now()).toISOString() });
    await status.flush();
    try {
      this.#found = [await this.#provider.create({ ...this.#content, comment: this.#comment }, signal)];
    } catch (error) {
      // What was refused will not appear.
      if (isHttpError(error) && error.status < 500) status.merge({ creatingSince: null });
      throw error;
    }
  }

  async update(): Promise<void> {
    const [record] = this.#found;
    if (record === undefined) return;
    this.#found = [await this.#provider.update(record.id, this.#content, this.#context.signal)];
  }

  async delete(): Promise<void> {
    for (const { id } of this.#found) await this.#provider.delete(id, this.#context.signal);
    this.#found = [];
  }

  async finalize(): Promise<ResourceReport & { readonly done: boolean }> {
    const rest = this.exists ? 0 : this.#unsettledFor();
    if (rest > 0) return { done: false, requeueAfter: rest, message: `${this.kindName} may still appear` };
    await this.delete();
    return { done: true };
  }

  contributeStatus(status: StepContext<DnsRecord>["status"]): void {
    const [record] = this.#found;
    if (record !== undefined) status.merge({ id: record.id, creatingSince: null });
  }

  /** Milliseconds for which a record may still appear whose creation was begun, and was not answered. */
  #unsettledFor(): number {
    const { cr, clock } = this.#context;
    const since = Date.parse(cr.status?.creatingSince ?? "");
    return Number.isNaN(since) ? 0 : since + this.#patience.settle - clock.now();
  }
}

function contentOf({ name, type, values, ttl }: ProviderRecord): RecordContent {
  return { name, type, values, ttl };
}
