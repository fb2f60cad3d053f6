// The webhooks of an operator that would be called through a Service: they are called at a port of this machine, with a certificate of
// our own making.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments, stringify } from "yaml";

/** Makes a certificate for `localhost`, whose key is a short one unless it is to be another; says why where it cannot. */
export function makeCertificate(
  folder: string,
  key = "ec -pkeyopt ec_paramgen_curve:prime256v1",
): { readonly authority: Buffer } | { readonly failure: string } {
  mkdirSync(folder, { recursive: true });
  const request = `req -x509 -newkey ${key} -nodes -days 365 -subj /CN=localhost`;
  const files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "tls.key", "-out", "tls.crt"];
  const { status, stderr, error } = spawnSync("openssl", [...request.split(" "), ...files], {
    cwd: folder,
    encoding: "utf8",
  });
  return status === 0
    ? { authority: readFileSync(join(folder, "tls.crt")) }
    : { failure: `openssl: ${error?.message ?? stderr.trim()}` };
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
}

/** The configurations in a file, with the webhooks that patches of a kustomization put in their place, called at a port here. */
export function calledHere(
  file: string,
  patches: readonly string[],
  port: number,
  authority: Buffer,
): string {
  const patched = patches.flatMap((patch) =>
    (parse(readFileSync(patch, "utf8")) as { value: Webhook }[]).map(({ value }) => value),
  );
  return parseAllDocuments(readFileSync(file, "utf8"))
    .map((document) => document.toJS() as { readonly webhooks: readonly Webhook[] } | null)
    .filter((configuration) => configuration !== null)
    .map((configuration) => ({
      ...configuration,
      webhooks: configuration.webhooks.map((given) => {
        const webhook = patched.find(({ name }) => name === given.name) ?? given;
        const url = `https://localhost:${port}${webhook.clientConfig.service.path}`;
        return { ...webhook, clientConfig: { url, caBundle: authority.toString("base64") } };
      }),
    }))
    .map((configuration) => `---\n${stringify(configuration)}`)
    .join("");
}
