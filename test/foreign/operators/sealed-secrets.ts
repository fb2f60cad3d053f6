// Sealed Secrets, which looks for its account where a kubelet puts it: it opens what was sealed for it, into Secrets of its own and into
// those of others that let it.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { buildGoModule } from "../go-program.ts";
import { home, shop } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { inCluster } from "./folders-of-its-own.ts";
import { manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";
import { makeCertificate } from "./webhooks-here.ts";

const version = "v0.40.0";
/** Where what seals is, once it was built. */
let sealer: { readonly command: string; readonly certificate: string } | undefined;

function obtain(): Obtained {
  const module = `github.com/bitnami-labs/sealed-secrets@${version}`;
  const built = buildGoModule("sealed-secrets", module, "./cmd/controller", "./cmd/kubeseal");
  if ("failure" in built) return built;
  const { files, folder } = built;
  const certificates = join(folder, "certificates");
  const made = makeCertificate(certificates, "rsa:2048");
  if ("failure" in made) return made;
  sealer = { command: files[1]!, certificate: join(certificates, "tls.crt") };
  const rendered = renderChart("sealed-secrets", join(folder, "helm/sealed-secrets"), {
    "serviceAccount.create": false,
    "serviceAccount.name": "operator",
  });
  if ("failure" in rendered) return rendered;
  const key = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: {
      name: "sealed-secrets-key",
      namespace: home,
      labels: { "sealedsecrets.bitnami.com/sealed-secrets-key": "active" },
    },
    data: Object.fromEntries(
      ["tls.crt", "tls.key"].map((name) => [name, readFileSync(join(certificates, name)).toString("base64")]),
    ),
  };
  const manifest = join(folder, "installed.yaml");
  writeFileSync(
    manifest,
    writtenOut([
      key,
      ...manifestsIn(rendered.text, /^(?:Deployment|ServiceAccount|Service|PodDisruptionBudget)$/),
    ]),
  );
  return {
    programs: [
      {
        command: "unshare",
        args: (kubeconfig) => [...inCluster(kubeconfig, home), files[0]!, "--key-renew-period=0"],
        env: { POD_NAMESPACE: home },
        // It listens on every address.
        isolated: true,
      },
    ],
    manifests: [join(folder, "helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml"), manifest],
    role: "bound",
  };
}

interface Sealed {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  /** What the opened Secret has beside its data. */
  readonly template?: Readonly<Record<string, unknown>>;
  readonly scope?: string;
  /** Another name that it is applied under. */
  readonly as?: string;
}
const sealedOnce = new Map<string, string>();

/** Seals a Secret, once: the same text is sealed in another way each time. */
function seal({ name, data, template = {}, scope = "strict", as = name }: Sealed): string {
  const wanted = JSON.stringify({ name, data, template, scope, as });
  const known = sealedOnce.get(wanted);
  if (known !== undefined) return known;
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: shop },
    stringData: data,
    ...template,
  };
  const { status, stdout, stderr } = spawnSync(
    sealer!.command,
    [`--cert=${sealer!.certificate}`, `--scope=${scope}`, "--format=yaml"],
    { encoding: "utf8", input: stringify(secret) },
  );
  if (status !== 0) throw new Error(`kubeseal: ${stderr}`);
  const sealed = parse(stdout) as { metadata: { name: string } };
  sealed.metadata.name = as;
  const text = `---\n${stringify(sealed)}`;
  sealedOnce.set(wanted, text);
  return text;
}

const theirs = (annotations: string): string => `
apiVersion: v1
kind: Secret
metadata: { name: theirs, annotations: { ${annotations} } }
stringData: { kept: theirs }
`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const holds = (name: string, key: string, value: string): string =>
  `wait --for=jsonpath={.data.${key}}=${base64(value)} secret/${name}`;
const synced = (name: string, status = "True"): string =>
  `wait --for=condition=Synced=${status} sealedsecret/${name}`;

/** Sealed Secrets: what becomes of what was sealed. */
export const sealedSecrets: ForeignOperator = {
  name: "sealed-secrets",
  version,
  obtain,
  steps: [
    {
      name: "a sealed secret",
      get apply() {
        const labels = {
          metadata: { name: "db", namespace: shop, labels: { team: "shop" } },
          type: "Opaque",
        };
        return seal({ name: "db", data: { password: "hunter2", user: "admin" }, template: labels });
      },
      reached: [synced("db"), holds("db", "password", "hunter2")],
    },
    {
      name: "another password",
      get apply() {
        return seal({ name: "db", data: { password: "hunter3" }, template: { immutable: false } });
      },
      reached: [synced("db"), holds("db", "password", "hunter3")],
    },
    {
      name: "drift",
      kubectl: ["delete secret/db"],
      reached: ["wait --for=create secret/db", holds("db", "password", "hunter3"), synced("db")],
    },
    {
      name: "one that was sealed for another name",
      get apply() {
        return seal({ name: "one", as: "other", data: { password: "a" } });
      },
      reached: [synced("other", "False")],
    },
    {
      name: "one for any name",
      get apply() {
        return seal({ name: "one", as: "any", data: { password: "b" }, scope: "namespace-wide" });
      },
      reached: [synced("any"), holds("any", "password", "b")],
    },
    {
      name: "over a secret of others",
      get apply() {
        return `${theirs("")}${seal({ name: "theirs", data: { password: "c" } })}`;
      },
      reached: [synced("theirs", "False")],
    },
    {
      name: "who let it",
      get apply() {
        const lets = 'sealedsecrets.bitnami.com/managed: "true", sealedsecrets.bitnami.com/patch: "true"';
        return `${theirs(lets)}${seal({ name: "theirs", data: { password: "d" } })}`;
      },
      reached: [holds("theirs", "password", "d"), holds("theirs", "kept", "theirs"), synced("theirs")],
    },
    {
      name: "delete",
      kubectl: ["delete sealedsecrets --all"],
      reached: ["wait --for=delete secret/db secret/any"],
    },
  ],
};
