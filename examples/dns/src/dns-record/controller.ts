// The controller of DNS records: it registers the record at the provider, for its life and for its end.
import { defineController, type StepContext } from "xstate-operator";
import { DnsRecord } from "./dns-record.ts";
import type { Provider } from "./provider.ts";
import { RecordResource, type Patience } from "./resources/record-resource.ts";

/** The controller of the records at a provider. */
export function dnsRecordController(
  provider: Provider,
  patience: Patience = { settle: 30_000, lookAgain: 60_000 },
) {
  const register = (context: StepContext<DnsRecord>): void =>
    context.registry.add(new RecordResource(context, provider, patience));
  return defineController(DnsRecord, { steps: { ObjectsGetter: register, CRFinalizer: register } });
}
