// Admission by the Pod Security Standards, as every API server has it: which pods a namespace refuses by its labels, whom it warns,
// and which labels are refused themselves.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { createRawClient, type Body, type RawAnswer, type RawClient } from "./api-server/raw-request.ts";
import { judgedPods, judgingLevels } from "./pod-security/judged-pods.ts";

const spaces = "/api/v1/namespaces";
const prefix = "pod-security.kubernetes.io/";
const plain = { containers: [{ name: "c", image: "i" }] };
const unrestricted =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';
const reasons = unrestricted.replaceAll(/ \(.*?\)(?=, |$)/g, "");

/** Labels of a namespace by what follows their prefix. */
const labelsOf = (modes: Readonly<Record<string, string>>): Body =>
  Object.fromEntries(Object.entries(modes).map(([mode, value]) => [`${prefix}${mode}`, value]));

describeOnEachApiServer(
  "pod security",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const makeSpace = async (name: string, modes: Readonly<Record<string, string>>): Promise<void> => {
      await send("POST", spaces, { metadata: { name, labels: labelsOf(modes) } });
      await send("POST", `${spaces}/${name}/serviceaccounts`, { metadata: { name: "default" } });
    };
    const relabel = (name: string, modes: Readonly<Record<string, string | null>>): Promise<RawAnswer> =>
      send(
        "PATCH",
        `${spaces}/${name}`,
        { metadata: { labels: labelsOf(modes as Record<string, string>) } },
        { contentType: "application/merge-patch+json" },
      );
    const makePod = (space: string, name: string, spec: Body, query = ""): Promise<RawAnswer> =>
      send("POST", `${spaces}/${space}/pods${query}`, {
        metadata: { name },
        spec: { automountServiceAccountToken: false, ...spec },
      });
    const warningsOf = ({ headers }: RawAnswer): string =>
      [headers["warning"] ?? []]
        .flat()
        .join(", ")
        .replaceAll(String.raw`\"`, '"');

    beforeAll(() => {
      client = createRawClient(server());
    });
    afterAll(() => client.close());

    describe.each(judgingLevels)("at %s", (named) => {
      const space = `at-${named.replace(/[:.]/g, "-")}`;
      const [enforce = "", version = ""] = named.split(":");

      beforeAll(() => makeSpace(space, { enforce, "enforce-version": version }));

      it.each(Object.entries(judgedPods))("judges a pod %s", async (_title, { spec, refused }) => {
        const { status, body } = await makePod(space, "p", spec, "?dryRun=All");
        const detail = refused[named];
        if (detail === undefined) expect(status).toBe(201);
        else {
          expect(body).toMatchObject({
            code: 403,
            reason: "Forbidden",
            message: `pods "p" is forbidden: violates PodSecurity "${named}": ${detail}`,
            details: { name: "p", kind: "pods" },
          });
        }
      });
    });

    it("warns of pods and of the templates of workloads by the level that says so, or that is enforced", async () => {
      await makeSpace("warned", { warn: "restricted", "warn-version": "v1.99" });
      await makeSpace("enforced", { enforce: "restricted", audit: "restricted" });
      await makeSpace("untold", { enforce: "restricted", warn: "privileged" });
      const template = { metadata: { labels: { a: "b" } }, spec: plain };
      const selector = { matchLabels: { a: "b" } };
      const once = { ...template, spec: { ...plain, restartPolicy: "Never" } };
      const workloads: readonly (readonly [string, Body])[] = [
        ["/apis/apps/v1/namespaces/*/deployments", { spec: { selector, template } }],
        ["/apis/apps/v1/namespaces/*/replicasets", { spec: { selector, template } }],
        ["/apis/apps/v1/namespaces/*/daemonsets", { spec: { selector, template } }],
        ["/apis/apps/v1/namespaces/*/statefulsets", { spec: { selector, template, serviceName: "s" } }],
        ["/apis/batch/v1/namespaces/*/jobs", { spec: { template: once } }],
        [
          "/apis/batch/v1/namespaces/*/cronjobs",
          { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } } },
        ],
        [`${spaces}/*/replicationcontrollers`, { spec: { selector: { a: "b" }, template } }],
        [`${spaces}/*/podtemplates`, { template }],
      ];
      for (const [path, content] of workloads) {
        const make = (space: string): Promise<RawAnswer> =>
          send("POST", path.replace("*", space), { metadata: { name: "w" }, ...content });
        expect(warningsOf(await make("warned"))).toBe(
          `299 - "would violate PodSecurity "restricted:v1.99": ${unrestricted}"`,
        );
        const enforced = await make("enforced");
        expect([enforced.status, warningsOf(enforced)]).toEqual([
          201,
          `299 - "would violate PodSecurity "restricted:latest": ${unrestricted}"`,
        ]);
        expect(warningsOf(await make("untold"))).toBe("");
      }
      const pod = await makePod("warned", "p", plain);
      expect([pod.status, warningsOf(pod)]).toEqual([
        201,
        `299 - "would violate PodSecurity "restricted:v1.99": ${unrestricted}"`,
      ]);
      const refused = await makePod("enforced", "p", plain);
      expect([refused.status, warningsOf(refused)]).toEqual([403, ""]);
    });

    it("looks again at pods whose images change, or that get another container", async () => {
      await makeSpace("changing", {});
      await makePod("changing", "p", plain);
      await relabel("changing", { enforce: "restricted" });
      const patch = async (place: string, body: Body): Promise<unknown> => {
        const contentType = "application/strategic-merge-patch+json";
        const answer = await send("PATCH", `${spaces}/changing/pods/${place}?dryRun=All`, body, {
          contentType,
        });
        const { message } = answer.body as { readonly message?: string };
        return [answer.status, message?.split(": ")[1] ?? ""];
      };
      const refused = [403, 'violates PodSecurity "restricted:latest"'];
      expect(await patch("p", { metadata: { labels: { a: "b" } } })).toEqual([200, ""]);
      expect(await patch("p", { spec: { containers: [{ name: "c", image: "other" }] } })).toEqual(refused);
      expect(
        await patch("p/ephemeralcontainers", { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } }),
      ).toEqual(refused);
      expect(await patch("p/status", { status: { phase: "Running" } })).toEqual([200, ""]);
    });

    it("refuses labels that name no level or version", async () => {
      const refusals = [
        [
          { enforce: "bogus" },
          [["enforce", 'Invalid value: "bogus": must be one of privileged, baseline, restricted']],
        ],
        [
          { warn: "", "warn-version": "1.30", "audit-version": "v2.0", audit: "Baseline" },
          [
            ["audit", 'Invalid value: "Baseline": must be one of privileged, baseline, restricted'],
            ["audit-version", 'Invalid value: "v2.0": must be "latest" or "v1.x"'],
            ["warn", 'Invalid value: "": must be one of privileged, baseline, restricted'],
            ["warn-version", 'Invalid value: "1.30": must be "latest" or "v1.x"'],
          ],
        ],
      ] as const;
      await makeSpace("labelled", {});
      for (const [modes, faults] of refusals) {
        const causes = faults.map(([mode, message]) => ({
          reason: "FieldValueInvalid",
          message,
          field: `metadata.labels[${prefix}${mode}]`,
        }));
        const metadata = { name: "wrong", labels: labelsOf(modes) };
        for (const answer of [await send("POST", spaces, { metadata }), await relabel("labelled", modes)]) {
          expect(answer.body).toMatchObject({ code: 422, reason: "Invalid", details: { causes } });
        }
      }
      expect((await relabel("labelled", { enforce: "baseline", "enforce-version": "v1.0" })).status).toBe(
        200,
      );
    });

    it("says of a namespace which of its pods a new level would refuse", async () => {
      await makeSpace("filled", {});
      await makePod("filled", "b", plain);
      await makePod("filled", "a", plain);
      await makePod("filled", "host", { ...plain, hostNetwork: true });
      const told = (level: string, ...pods: readonly string[]): string =>
        [`existing pods in namespace "filled" violate the new PodSecurity enforce level "${level}"`, ...pods]
          .map((text) => `299 - "${text}"`)
          .join(", ");
      // The plugin reads the pods from a cache of its own.
      await eventually(async () => {
        await relabel("filled", { enforce: null });
        expect(warningsOf(await relabel("filled", { enforce: "baseline" }))).toBe(
          told("baseline:latest", "host: host namespaces"),
        );
      });
      expect(warningsOf(await relabel("filled", { enforce: "restricted", "enforce-version": "v1.30" }))).toBe(
        told("restricted:v1.30", `a (and 1 other pod): ${reasons}`, `host: host namespaces, ${reasons}`),
      );
      expect(warningsOf(await relabel("filled", { enforce: "baseline" }))).toBe("");
      expect(warningsOf(await relabel("filled", { enforce: null }))).toBe("");
    });
  },
  { embedded: { controllers: false } },
);
