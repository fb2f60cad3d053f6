// Where a webhook is reached: its URL, or the endpoints behind its Service, which in an embedded cluster are addresses of this machine.
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import type { Random } from "../../../ports/random.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { WebhookCallError, type WebhookAddress } from "./call-webhook.ts";

/** Where Services and endpoints are looked up. */
export interface ServiceSource {
  readonly store: Pick<ObjectStore, "get">;
  readonly random: Random;
}

/** The address in a `clientConfig`; `query` is what is asked for, as messages name it. Errors: {@link WebhookCallError} for a Service that leads nowhere. */
export function webhookAddress(source: ServiceSource, clientConfig: unknown, query = ""): WebhookAddress {
  const { url, service, caBundle } = fieldsOf(clientConfig);
  const bundle = textOf(caBundle);
  const authority = bundle === "" ? undefined : Buffer.from(bundle, "base64").toString("utf8");
  if (typeof url === "string" && url !== "") {
    const { hostname, port, pathname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, "");
    const shown = pathname === "/" && !url.endsWith("/") ? `${url}/` : url;
    return { url: shown, host, port: port === "" ? 443 : Number(port), serverName: host, authority };
  }
  const reference = fieldsOf(service);
  const name = textOf(reference["name"]);
  const namespace = textOf(reference["namespace"]);
  const port = typeof reference["port"] === "number" ? reference["port"] : 443;
  const path = textOf(reference["path"]);
  const serverName = `${name}.${namespace}.svc`;
  const shown = `https://${serverName}:${port}${path === "" ? "/" : path}`;
  const target = endpointOf(source, { name, namespace, port });
  if ("fault" in target) throw new WebhookCallError(`Post ${JSON.stringify(shown + query)}: ${target.fault}`);
  return { url: shown, ...target, serverName, authority };
}

type Target = { readonly host: string; readonly port: number } | { readonly fault: string };

function endpointOf(
  { store, random }: ServiceSource,
  { name, namespace, port }: { readonly name: string; readonly namespace: string; readonly port: number },
): Target {
  const service = store.get("services", namespace, name);
  if (service === undefined) return { fault: `service ${JSON.stringify(name)} not found` };
  const spec = fieldsOf(service["spec"]);
  if (spec["type"] === "ExternalName") return { host: textOf(spec["externalName"]), port };
  const declared = fieldsList(spec["ports"]).find((each) => each["port"] === port);
  if (declared === undefined) {
    return { fault: `no service port ${port} found for service ${JSON.stringify(name)}` };
  }
  const ready = endpointsOf(store.get("endpoints", namespace, name), textOf(declared["name"]));
  const chosen = ready[Math.floor(random() * ready.length)];
  return chosen ?? { fault: `no endpoints available for service ${JSON.stringify(name)}` };
}

function endpointsOf(endpoints: ApiObject | undefined, portName: string): { host: string; port: number }[] {
  return fieldsList(endpoints?.["subsets"]).flatMap((subset) => {
    const port = fieldsList(subset["ports"]).find((each) => textOf(each["name"]) === portName)?.["port"];
    if (typeof port !== "number") return [];
    return listOf(subset["addresses"]).map((address) => ({ host: textOf((address as Fields)["ip"]), port }));
  });
}
