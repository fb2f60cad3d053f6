// Where the API server reaches the webhooks of an operator: by the operator's Service, or, for an operator that runs outside of the
// cluster, by a URL. Pure.

/** The Service, or the base of all URLs, for instance `https://127.0.0.1:9443`. */
export type WebhookAddress =
  | {
      /** For an operator that runs in the cluster. */
      readonly service: {
        /** Name of the Service. */
        readonly name: string;
        /** Where it is. */
        readonly namespace: string;
        /** Default 443. */
        readonly port?: number;
      };
    }
  | {
      /** For an operator that runs outside of it. */
      readonly url: string;
    };

/** The `clientConfig` of a webhook in a manifest. */
export interface WebhookClientConfig {
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    readonly path: string;
    readonly port: number;
  };
  readonly url?: string;
  /** Base64 of authorities in PEM. */
  readonly caBundle?: string;
}

/** How the API server reaches one path. Without authorities, which are PEM, those of its own system count. */
export function clientConfigOf(
  address: WebhookAddress,
  path: string,
  authorities?: string,
): WebhookClientConfig {
  const trusted =
    authorities === undefined ? {} : { caBundle: Buffer.from(authorities, "utf8").toString("base64") };
  if ("url" in address) return { url: `${address.url.replace(/\/$/, "")}${path}`, ...trusted };
  const { name, namespace, port = 443 } = address.service;
  return { service: { name, namespace, path, port }, ...trusted };
}

/** The Service of an operator's webhooks. */
export function webhookServiceOf(
  operator: string,
  namespace: string,
): { readonly name: string; readonly namespace: string } {
  return { name: `${operator}-webhook`, namespace };
}
