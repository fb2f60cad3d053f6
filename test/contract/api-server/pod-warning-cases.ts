// What is said of pods that are taken although something in them does nothing: of pods, of templates of them, whenever an object that has
// one changes, and of claims.
import { expect, it } from "vitest";
import type { Body, RawClient } from "./raw-request.ts";

const merge = { contentType: "application/merge-patch+json" };
const selector = { matchLabels: { app: "a" } };

const warnedSpec = {
  containers: [
    {
      name: "c",
      image: "i",
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "$(A)2" },
        { name: "A", value: "3" },
      ],
      ports: [
        { containerPort: 80, name: "a" },
        { containerPort: 80, name: "b" },
        { containerPort: 80, hostPort: 81, name: "c", hostIP: "1.2.3.4" },
      ],
      resources: { requests: { memory: "0.5" } },
    },
  ],
  imagePullSecrets: [{ name: "p" }, { name: "p" }, {}],
  hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }],
  nodeSelector: { "beta.kubernetes.io/os": "linux" },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
  volumes: [
    { name: "v", gitRepo: { repository: "r" } },
    { name: "w", projected: { sources: [{}] } },
  ],
};
const warnings = (at: string): readonly string[] => [
  `${at}nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`,
  `${at}topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod`,
  `${at}volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+`,
  'volume "w" (Projected) has no sources provided',
  `${at}hostAliases[1].ip: duplicate ip "1.2.3.4"`,
  `${at}imagePullSecrets[1].name: duplicate name "p"`,
  `${at}imagePullSecrets[2].name: invalid empty name ""`,
  `${at}containers[0].resources.requests[memory]: fractional byte value "500m" is invalid, must be an integer`,
  `${at}containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply`,
  `${at}containers[0].ports[1]: duplicate port definition with ${at}containers[0].ports[0]`,
  `${at}containers[0].ports[2]: overlapping port definition with ${at}containers[0].ports[0]`,
  `${at}containers[0].ports[2]: overlapping port definition with ${at}containers[0].ports[1]`,
];

/** Declares the cases. */
export function declarePodWarningCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const saidOf = (header: string | string[] | undefined): readonly string[] =>
    [header ?? []]
      .flat()
      .flatMap((each) => each.split(/, (?=299 - )/))
      .map((each) => JSON.parse(each.replace(/^299 - /, "")) as string);

  const template = { metadata: { labels: { app: "a" } }, spec: warnedSpec };
  const batch = { ...template, spec: { ...warnedSpec, restartPolicy: "Never" } };
  it.each([
    ["/api/v1/namespaces/default/pods", { spec: warnedSpec }, "spec."],
    ["/api/v1/namespaces/default/podtemplates", { template }, "template.spec."],
    ["/api/v1/namespaces/default/replicationcontrollers", { spec: { template } }, "spec.template.spec."],
    ["/apis/apps/v1/namespaces/default/deployments", { spec: { selector, template } }, "spec.template.spec."],
    ["/apis/apps/v1/namespaces/default/replicasets", { spec: { selector, template } }, "spec.template.spec."],
    ["/apis/apps/v1/namespaces/default/daemonsets", { spec: { selector, template } }, "spec.template.spec."],
    [
      "/apis/apps/v1/namespaces/default/statefulsets",
      { spec: { selector, template, serviceName: "s" } },
      "spec.template.spec.",
    ],
    ["/apis/batch/v1/namespaces/default/jobs", { spec: { template: batch } }, "spec.template.spec."],
    [
      "/apis/batch/v1/namespaces/default/cronjobs",
      { spec: { schedule: "@hourly", jobTemplate: { spec: { template: batch } } } },
      "spec.jobTemplate.spec.template.spec.",
    ],
  ])("warns of what does nothing in pods, by %s", async (path, content, at) => {
    await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const metadata = { name: "warned" };
    const created = await send("POST", path, { metadata, ...content });
    expect([created.status, saidOf(created.headers["warning"])]).toEqual([201, warnings(at)]);
    const patched = async (body: Body): Promise<readonly string[]> =>
      saidOf((await send("PATCH", `${path}/warned`, body, merge)).headers["warning"]);
    expect(await patched({ metadata: { labels: { b: "c" } } })).toEqual([]);
    await send("DELETE", `${path}/warned?propagationPolicy=Background&gracePeriodSeconds=0`);
  });

  it("warns of templates whenever something besides them changes, also by a Scale", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await send("POST", path, { metadata: { name: "warned-again" }, spec: { selector, template } });
    const scaled = await send("PATCH", `${path}/warned-again/scale`, { spec: { replicas: 3 } }, merge);
    const told = await send("PATCH", `${path}/warned-again/status`, { status: { replicas: 3 } }, merge);
    expect([scaled, told].map(({ headers }) => saidOf(headers["warning"]).length)).toEqual([
      warnings("").length,
      0,
    ]);
    await send("DELETE", `${path}/warned-again`);
    const templates = "/api/v1/namespaces/default/podtemplates";
    await send("POST", templates, { metadata: { name: "warned-again" }, template });
    const change = { template: { metadata: { labels: { b: "c" } } } };
    const { headers } = await send("PATCH", `${templates}/warned-again`, change, merge);
    expect(saidOf(headers["warning"])).toEqual(warnings("template.spec."));
    await send("DELETE", `${templates}/warned-again`);
  });

  it("warns of claims of parts of a byte, or of a class by its former name", async () => {
    const path = "/api/v1/namespaces/default/persistentvolumeclaims";
    const former = "volume.beta.kubernetes.io/storage-class";
    const claim = {
      metadata: { name: "warned", annotations: { [former]: "c" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0.5" } } },
    };
    const { headers } = await send("POST", `${path}?dryRun=All`, claim);
    expect(saidOf(headers["warning"])).toEqual([
      `metadata.annotations[${former}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      'spec.resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer',
    ]);
  });

  it("takes profiles of AppArmor from annotations, unless a container or the pod says the same or another", async () => {
    const key = (name: string): string => `container.apparmor.security.beta.kubernetes.io/${name}`;
    const unconfined = { securityContext: { appArmorProfile: { type: "Unconfined" } } };
    const pod = {
      metadata: {
        name: "confined",
        annotations: {
          [key("i")]: "localhost/own",
          [key("a")]: "runtime/default",
          [key("b")]: "unconfined",
          [key("d")]: "unconfined",
        },
      },
      spec: {
        securityContext: { appArmorProfile: { type: "RuntimeDefault" } },
        initContainers: [{ name: "i", image: "i", securityContext: { runAsUser: 1 } }],
        containers: [
          ...["a", "b", "c"].map((name) => ({ name, image: "i" })),
          { name: "d", image: "i", ...unconfined },
        ],
      },
    };
    const { body } = await send("POST", "/api/v1/namespaces/default/pods?dryRun=All", pod);
    expect(body["message"]).toBeUndefined();
    const { initContainers, containers } = body["spec"] as Record<string, readonly Body[]>;
    expect([...(initContainers ?? []), ...(containers ?? [])].map((each) => each["securityContext"])).toEqual(
      [
        { runAsUser: 1, appArmorProfile: { type: "Localhost", localhostProfile: "own" } },
        undefined,
        unconfined.securityContext,
        undefined,
        unconfined.securityContext,
      ],
    );
  });
}
