// Where a webhook is reached: its URL, or the endpoints behind its Service, which in an embedded cluster are addresses of this machine.
import { fieldsOf, textOf } from "../api-object.ts";
import { serviceEndpoint, type ServiceSource } from "../service-endpoint.ts";
import { WebhookCallError, type WebhookAddress } from "./call-webhook.ts";

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
  const target = serviceEndpoint(source, { name, namespace, port });
  if ("fault" in target) throw new WebhookCallError(`Post ${JSON.stringify(shown + query)}: ${target.fault}`);
  return { url: shown, ...target, serverName, authority };
}
