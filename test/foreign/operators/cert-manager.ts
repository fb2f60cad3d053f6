// cert-manager with all that its chart installs: the controllers, the webhook with a certificate of its own making, and the injector,
// on controller-runtime, that writes the webhook's authority into its configurations.
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";

/** The last version whose programs are in the module of its code. */
const version = "v1.11.5";
/** Where the webhook listens in a network of its own. */
const port = 10_250;

function obtain(): Obtained {
  const built = buildGoModule(
    "cert-manager",
    `github.com/cert-manager/cert-manager@${version}`,
    "./cmd/controller",
    "./cmd/webhook",
    "./cmd/cainjector",
  );
  if ("failure" in built) return built;
  const rendered = renderManifests(built.folder);
  if ("failure" in rendered) return rendered;
  const [controller = "", webhook = "", injector = ""] = built.files;
  const elected = `--leader-election-namespace=${home}`;
  return {
    programs: [
      {
        command: controller,
        args: (kubeconfig) => [`--kubeconfig=${kubeconfig}`, `--cluster-resource-namespace=${home}`, elected],
        isolated: true,
      },
      {
        command: webhook,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          `--secure-port=${port}`,
          `--dynamic-serving-ca-secret-namespace=${home}`,
          "--dynamic-serving-ca-secret-name=cert-manager-webhook-ca",
          "--dynamic-serving-dns-names=localhost",
        ],
        isolated: true,
        called: port,
      },
      {
        command: injector,
        args: (kubeconfig) => [`--kubeconfig=${kubeconfig}`, elected],
        isolated: true,
      },
    ],
    manifests: [rendered.file],
    role: "bound",
  };
}

/** What the chart has beside the Deployments, for the one account that runs them all. */
function renderManifests(folder: string): { readonly file: string } | { readonly failure: string } {
  const chart = join(folder, "deploy/charts/cert-manager");
  // The release tool writes these two.
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: cert-manager\nversion: 1.11.5\n");
  const isDefinition = (path: string): boolean => !path.endsWith(".md");
  cpSync(join(folder, "deploy/crds"), join(chart, "templates"), { recursive: true, filter: isDefinition });
  const values = {
    installCRDs: true,
    "startupapicheck.enabled": false,
    "webhook.url.host": `localhost:${port}`,
    "global.leaderElection.namespace": home,
    ...Object.fromEntries(
      ["", "webhook.", "cainjector."].flatMap((part) => [
        [`${part}serviceAccount.create`, false],
        [`${part}serviceAccount.name`, "operator"],
      ]),
    ),
  };
  const rendered = renderChart("cert-manager", chart, values);
  if ("failure" in rendered) return rendered;
  const file = join(folder, "rendered.yaml");
  writeFileSync(file, writtenOut(manifestsIn(rendered.text, /^(?:Deployment|Service)$/)));
  return { file };
}

const issued = (names: readonly string[]): string => `
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: { name: self }
spec: { selfSigned: {} }
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: root }
spec:
  isCA: true
  commonName: root
  secretName: root-tls
  privateKey: { algorithm: ECDSA, size: 256 }
  issuerRef: { name: self, kind: Issuer, group: cert-manager.io }
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: { name: authority }
spec: { ca: { secretName: root-tls } }
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: leaf }
spec:
  secretName: leaf-tls
  dnsNames: [${names.join(", ")}]
  privateKey: { algorithm: ECDSA, rotationPolicy: Always }
  secretTemplate: { labels: { team: shop } }
  issuerRef: { name: authority }
`;
const wait = (condition: string, object: string): string => `wait --for=condition=${condition} ${object}`;
const ready = [wait("Ready", "issuer/authority"), wait("Ready", "certificate/leaf")];
const revision = (number: number): string =>
  `wait --for=jsonpath={.status.revision}=${number} certificate/leaf`;

/** cert-manager: authorities and certificates in secrets, requests between them, and webhooks. */
export const certManager: ForeignOperator = {
  name: "cert-manager",
  version,
  obtain,
  random: [
    [/^Secret\/(?:root|leaf)-tls$/, /^data\./],
    [/^CertificateRequest\//, /^(?:spec\.request|spec\.uid|status\.ca|status\.certificate)$/],
    [/^CertificateRequest\//, /^metadata\.annotations\.cert-manager\.io\/private-key-secret-name$/],
    // Which token its account had.
    [/^CertificateRequest\//, /^spec\.extra\.authentication\.kubernetes\.io\/credential-id\.0$/],
    // Several of its controllers write the same conditions, in any order.
    [/^Certificate\//, /^writtenBy\./],
    [/^Certificate\//, /^status\.not(?:After|Before)$/],
  ],
  steps: [
    {
      name: "what its webhook refuses",
      refused: `
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: leaf }
spec: { secretName: leaf-tls, issuerRef: { name: authority } }
`,
      reached: [],
    },
    { name: "create", apply: issued(["one.example.com"]), reached: [...ready, revision(1)] },
    {
      name: "update",
      apply: issued(["one.example.com", "two.example.com"]),
      reached: [revision(2), ...ready],
    },
    {
      name: "drift",
      kubectl: ["delete secret/leaf-tls"],
      reached: ["wait --for=create secret/leaf-tls", revision(3), ...ready],
    },
    {
      name: "delete",
      kubectl: ["delete certificate/leaf certificate/root issuer/authority issuer/self"],
      reached: ["wait --for=delete certificaterequests --all"],
    },
  ],
};
