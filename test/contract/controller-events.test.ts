// What the built-in controllers of an embedded cluster and kube-controller-manager do and say alike: Events, and daemon sets.
import { beforeEach, expect, it } from "vitest";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../src/kinds/builtin/apps.ts";
import { CronJob, Job } from "../../src/kinds/builtin/batch.ts";
import { Namespace, Node, Pod, ResourceQuota } from "../../src/kinds/builtin/core.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { ControllerRevision } from "../../src/cluster/controllers/template-revisions.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1" }] } };

describeOnEachApiServer("the controllers", (server) => {
  let namespace = "";
  let count = 0;
  beforeEach(async () => {
    count += 1;
    namespace = `told-${count}`;
    await server().client.create(Namespace, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
  });

  const create = <T extends KubeObject>(type: ResourceType<T>, name: string, spec: object): Promise<T> =>
    server().client.create(type, {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name, namespace },
      spec,
    });
  const patch = (type: ResourceType, name: string, body: object): Promise<unknown> =>
    server().client.patch(type, { namespace, name }, { type: "merge", body });
  const list = async <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> =>
    (await server().client.list(type, { namespace })).items;
  /** Type, reason and message of the Events about objects of a kind, with who says so; parts of names that are made at random are dots. */
  const told = async (kind: string): Promise<readonly string[]> =>
    (await list(KubernetesEvent))
      .filter(({ regarding }) => regarding?.kind === kind)
      .map(({ type, reason, note = "", deprecatedSource, deprecatedCount = 1 }) =>
        [
          deprecatedSource?.component,
          type,
          reason,
          note.replaceAll(/(?<=\b(?:web|once|each))-[a-z0-9]+(?:-[a-z0-9]{5})?/g, "-…"),
          deprecatedCount,
        ].join("|"),
      )
      .toSorted();

  it("tell of the replica sets and pods of a deployment", async () => {
    await create(Deployment, "web", { replicas: 2, selector, template });
    await eventually(async () => expect(await list(Pod)).toHaveLength(2));
    await patch(Deployment, "web", { spec: { replicas: 1 } });
    await eventually(async () => {
      expect(await told("Deployment")).toEqual([
        "deployment-controller|Normal|ScalingReplicaSet|Scaled down replica set web-… from 2 to 1|1",
        "deployment-controller|Normal|ScalingReplicaSet|Scaled up replica set web-… from 0 to 2|1",
      ]);
      expect(await told("ReplicaSet")).toEqual([
        "replicaset-controller|Normal|SuccessfulCreate|Created pod: web-…|1",
        "replicaset-controller|Normal|SuccessfulCreate|Created pod: web-…|1",
        "replicaset-controller|Normal|SuccessfulDelete|Deleted pod: web-…|1",
      ]);
    });
  });

  it("tell of many pods one by one, and together from the tenth on", async () => {
    await create(ReplicaSet, "web", { replicas: 12, selector, template });
    const created = "replicaset-controller|Normal|SuccessfulCreate|";
    await eventually(async () =>
      expect(await told("ReplicaSet")).toEqual([
        `${created}(combined from similar events): Created pod: web-…|3`,
        ...Array.from({ length: 9 }, () => `${created}Created pod: web-…|1`),
      ]),
    );
  });

  it("tell so that it is found by all that names an object, in both groups of the API", async () => {
    await create(Deployment, "web", { replicas: 1, selector, template });
    await eventually(async () => expect(await told("Deployment")).toHaveLength(1));
    const { client } = server();
    const found = async (path: string, fields: Readonly<Record<string, string>>): Promise<number> => {
      const fieldSelector = Object.entries(fields)
        .map((field) => field.join("="))
        .join(",");
      const query = `fieldSelector=${encodeURIComponent(fieldSelector)}`;
      const list = await client.request({
        method: "GET",
        path: `${path}/namespaces/${namespace}/events?${query}`,
      });
      return (list as { readonly items: readonly unknown[] }).items.length;
    };
    const { metadata } = await client.get(Deployment, { namespace, name: "web" });
    const named = { kind: "Deployment", name: "web", namespace, uid: metadata.uid, apiVersion: "apps/v1" };
    for (const [field, value] of Object.entries(named)) {
      const isOnly = field === "namespace" || field === "apiVersion";
      const kind = isOnly ? { "involvedObject.kind": "Deployment" } : {};
      expect(await found("/api/v1", { ...kind, [`involvedObject.${field}`]: value }), field).toBe(1);
      expect(await found("/api/v1", { ...kind, [`involvedObject.${field}`]: "other" }), field).toBe(0);
    }
    expect(await found("/apis/events.k8s.io/v1", { "regarding.name": "web" })).toBe(1);
    expect(await found("/api/v1", { reason: "ScalingReplicaSet", type: "Normal" })).toBe(1);
  });

  it("tell why pods are not made, once and with a count", async () => {
    const broken = { ...template, spec: { ...template.spec, priorityClassName: "nobody-has-it" } };
    await create(ReplicaSet, "web", { replicas: 1, selector, template: broken });
    await eventually(async () => {
      const [first = "", ...more] = await told("ReplicaSet");
      expect(more).toEqual([]);
      expect(first).toMatch(/\|[2-9]$|\|\d\d+$/);
      expect(first.replace(/\d+$/, "N")).toBe(
        'replicaset-controller|Warning|FailedCreate|Error creating: pods "web-" is forbidden: no PriorityClass with name nobody-has-it was found|N',
      );
    });
  });

  it("tell why no workload gets its pods, and which claim is refused", async () => {
    const broken = { ...template, spec: { ...template.spec, priorityClassName: "nobody-has-it" } };
    const why = "is forbidden: no PriorityClass with name nobody-has-it was found";
    const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } };
    await create(StatefulSet, "web", { serviceName: "s", selector, template: broken });
    const { spec } = broken;
    await create(Job, "web", { template: { spec: { ...spec, restartPolicy: "Never" } } });
    await server().client.create(ResourceQuota, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "no-claims", namespace },
      spec: { hard: { persistentvolumeclaims: "0" } },
    });
    await eventually(async () => {
      const { status } = await server().client.get(ResourceQuota, { namespace, name: "no-claims" });
      expect(status?.hard).toBeDefined();
    });
    const resources = { requests: { storage: "1Gi" } };
    const volumeClaimTemplates = [{ ...claim, spec: { ...claim.spec, resources } }];
    await create(StatefulSet, "kept", { serviceName: "s", selector, template, volumeClaimTemplates });
    const refused =
      'persistentvolumeclaims "data-kept-0" is forbidden: exceeded quota: no-claims, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0';
    await eventually(async () => {
      const reasons = async (kind: string): Promise<readonly string[]> =>
        (await told(kind)).map((each) => each.replace(/\|\d+$/, ""));
      expect(await reasons("StatefulSet")).toEqual([
        `statefulset-controller|Warning|FailedCreate|Create Claim data-kept-0 for Pod kept-0 in StatefulSet kept failed error: ${refused}`,
        `statefulset-controller|Warning|FailedCreate|Create Pod kept-0 in StatefulSet kept failed error: failed to create PVC data-kept-0: ${refused}`,
        `statefulset-controller|Warning|FailedCreate|Create Pod web-… in StatefulSet web failed error: pods "web-…" ${why}`,
      ]);
      expect(await reasons("Job")).toEqual([
        `job-controller|Warning|FailedCreate|Error creating: pods "web-" ${why}`,
      ]);
    });
  });

  it("tell of the pods and claims of a stateful set", async () => {
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    await create(StatefulSet, "s", {
      replicas: 2,
      podManagementPolicy: "Parallel",
      serviceName: "s",
      selector,
      template,
      volumeClaimTemplates: [claim],
    });
    await eventually(async () => expect(await list(Pod)).toHaveLength(2));
    await patch(StatefulSet, "s", { spec: { replicas: 1 } });
    await eventually(async () => {
      expect(await told("StatefulSet")).toEqual([
        "statefulset-controller|Normal|SuccessfulCreate|Create Claim data-s-0 Pod s-0 in StatefulSet s success|1",
        "statefulset-controller|Normal|SuccessfulCreate|Create Claim data-s-1 Pod s-1 in StatefulSet s success|1",
        "statefulset-controller|Normal|SuccessfulCreate|Create Pod s-0 in StatefulSet s successful|1",
        "statefulset-controller|Normal|SuccessfulCreate|Create Pod s-1 in StatefulSet s successful|1",
        "statefulset-controller|Normal|SuccessfulDelete|Delete Pod s-1 in StatefulSet s successful|1",
      ]);
    });
  });

  it("tell of the pods of a job, of its end, and of its rest", async () => {
    const pod = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await create(Job, "once", { suspend: true, template: pod });
    await eventually(async () =>
      expect(await told("Job")).toEqual(["job-controller|Normal|Suspended|Job suspended|1"]),
    );
    await patch(Job, "once", { spec: { suspend: false } });
    await eventually(async () => expect(await list(Pod)).toHaveLength(1));
    if (server().kind === "real") {
      const [{ metadata } = { metadata: { name: "" } }] = await list(Pod);
      const body = { status: { phase: "Succeeded" } };
      const key = { namespace, name: metadata.name };
      await server().client.patch(Pod, key, { type: "merge", body }, { subresource: "status" });
    }
    await eventually(async () => {
      expect(await told("Job")).toEqual([
        "job-controller|Normal|Completed|Job completed|1",
        "job-controller|Normal|Resumed|Job resumed|1",
        "job-controller|Normal|SuccessfulCreate|Created pod: once-…|1",
        "job-controller|Normal|Suspended|Job suspended|1",
      ]);
    });
  });

  it("tell of a job that fails", async () => {
    const pod = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await create(Job, "once", { activeDeadlineSeconds: 1, parallelism: 0, template: pod });
    await eventually(async () =>
      expect(await told("Job")).toEqual([
        "job-controller|Warning|DeadlineExceeded|Job was active longer than specified deadline|1",
      ]),
    );
  });

  it("start the job of a cron job that was missed, tell of it and of its end, and keep no more than is asked for", async () => {
    const { client, kind } = server();
    const pod = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const jobTemplate = {
      metadata: { labels: { from: "cron" }, annotations: { a: "b" } },
      spec: { template: pod },
    };
    const yearly = { schedule: "0 0 1 1 *", timeZone: "Etc/UTC", jobTemplate };
    await create(CronJob, "turn", { ...yearly, suspend: true });
    const key = { namespace, name: "turn" };
    const body = {
      status: {
        lastScheduleTime: new Date(Date.now() - 400 * 86_400_000).toISOString().replace(/\.\d+/, ""),
      },
    };
    await client.patch(CronJob, key, { type: "merge", body }, { subresource: "status" });
    await patch(CronJob, "turn", { spec: { suspend: false } });
    const turn = Date.UTC(new Date().getUTCFullYear(), 0, 1);
    const name = `turn-${turn / 60_000}`;
    const job = await eventually(() => client.get(Job, { namespace, name }));
    expect(job.metadata).toMatchObject({
      labels: { from: "cron" },
      annotations: {
        a: "b",
        "batch.kubernetes.io/cronjob-scheduled-timestamp": new Date(turn).toISOString().replace(".000", ""),
      },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name: "turn", controller: true, blockOwnerDeletion: true },
      ],
    });
    if (kind === "real") {
      const [{ metadata }] = await eventually(async () => {
        const pods = await list(Pod);
        expect(pods).toHaveLength(1);
        return pods as readonly [Pod];
      });
      const status = { status: { phase: "Succeeded" } };
      const at = { namespace, name: metadata.name };
      await client.patch(Pod, at, { type: "merge", body: status }, { subresource: "status" });
    }
    await eventually(async () => {
      expect(await told("CronJob")).toEqual([
        `cronjob-controller|Normal|SawCompletedJob|Saw completed job: ${name}, condition: Complete|1`,
        `cronjob-controller|Normal|SuccessfulCreate|Created job ${name}|1`,
      ]);
      const { status } = await client.get(CronJob, key);
      expect(status?.active).toBeUndefined();
      expect(status).toMatchObject({ lastScheduleTime: new Date(turn).toISOString().replace(".000", "") });
      expect(status?.lastSuccessfulTime).toBeDefined();
    });
    expect(await list(Job)).toHaveLength(1);
    await patch(CronJob, "turn", { spec: { successfulJobsHistoryLimit: 0 } });
    await eventually(async () => {
      expect(await told("CronJob")).toContain(
        `cronjob-controller|Normal|SuccessfulDelete|Deleted job ${name}|1`,
      );
      expect(await list(Job)).toEqual([]);
    });
  });

  it("tell of a schedule that has no times", async () => {
    const containers = [{ name: "c", image: "i" }];
    const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers } } } };
    await create(CronJob, "never", { schedule: "0 0 31 2 *", timeZone: "Etc/UTC", jobTemplate });
    await eventually(async () =>
      expect((await told("CronJob")).map((each) => each.replace(/\d+$/, "N"))).toEqual([
        "cronjob-controller|Warning|InvalidSchedule|invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second|N",
      ]),
    );
  });

  it("tell of a job that somebody has made from a cron job, and of one that is refused", async () => {
    const containers = [{ name: "c", image: "i" }];
    const spec = {
      restartPolicy: "Never",
      containers,
      schedulingGates: [{ name: "wait.example.com/x" }],
    };
    const jobTemplate = { spec: { template: { spec } } };
    const { metadata } = await create(CronJob, "yearly", {
      schedule: "0 0 1 1 *",
      timeZone: "Etc/UTC",
      jobTemplate,
    });
    const owner = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: "yearly",
      uid: metadata.uid,
      controller: true,
    };
    await server().client.create(Job, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "by-hand", namespace, ownerReferences: [owner] },
      spec: jobTemplate.spec,
    });
    const said = async (): Promise<readonly string[]> =>
      (await told("CronJob")).map((each) => each.replace(/\d+$/, "N"));
    const unexpected =
      "cronjob-controller|Warning|UnexpectedJob|Saw a job that the controller did not create or forgot: by-hand|N";
    await eventually(async () => expect(await said()).toEqual([unexpected]));
    const { status } = await server().client.get(CronJob, { namespace, name: "yearly" });
    expect(status?.active).toBeUndefined();
    await server().client.create(ResourceQuota, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "no-jobs", namespace },
      spec: { hard: { "count/jobs.batch": "1" } },
    });
    await eventually(async () => {
      const quota = await server().client.get(ResourceQuota, { namespace, name: "no-jobs" });
      expect(quota.status?.used).toEqual({ "count/jobs.batch": "1" });
    });
    const often = { schedule: "@every 1s", jobTemplate };
    await create(CronJob, "often", often);
    await eventually(async () =>
      expect((await said()).map((each) => each.replace(/often-\d+/, "often-N"))).toContain(
        'cronjob-controller|Warning|FailedCreate|Error creating job: jobs.batch "often-N" is forbidden: exceeded quota: no-jobs, requested: count/jobs.batch=1, used: count/jobs.batch=1, limited: count/jobs.batch=1|N',
      ),
    );
  });

  it("start no job of a cron job while one runs that may not be joined, and end it where it is to be replaced", async () => {
    const { client } = server();
    const container = { name: "c", image: "i", command: ["sleep", "3600"] };
    const pod = {
      spec: {
        restartPolicy: "OnFailure",
        containers: [container],
        schedulingGates: [{ name: "wait.example.com/x" }],
      },
    };
    const yearly = {
      schedule: "0 0 1 1 *",
      timeZone: "Etc/UTC",
      suspend: true,
      jobTemplate: { spec: { template: pod } },
    };
    const turns = [0, 1].map((back) => Date.UTC(new Date().getUTCFullYear() - back, 0, 1));
    const name = (turn: number): string => `turn-${turn / 60_000}`;
    const [latest = 0, earlier = 0] = turns;
    const startAt = async (policy: string, from: number): Promise<void> => {
      const body = { status: { lastScheduleTime: new Date(from).toISOString().replace(/\.\d+/, "") } };
      await client.patch(
        CronJob,
        { namespace, name: "turn" },
        { type: "merge", body },
        { subresource: "status" },
      );
      await patch(CronJob, "turn", { spec: { suspend: false, concurrencyPolicy: policy } });
    };
    const cron = await create(CronJob, "turn", yearly);
    const { uid } = cron.metadata;
    const owner = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: "turn",
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const { metadata } = await client.create(Job, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: name(earlier), namespace, ownerReferences: [owner] },
      spec: { template: pod },
    });
    const active = [
      { kind: "Job", apiVersion: "batch/v1", name: metadata.name, namespace, uid: metadata.uid },
    ];
    const body = { status: { active } };
    await client.patch(
      CronJob,
      { namespace, name: "turn" },
      { type: "merge", body },
      { subresource: "status" },
    );
    await startAt("Forbid", latest - 86_400_000);
    await eventually(async () =>
      expect((await told("CronJob")).map((each) => each.replace(/\d+$/, "N"))).toContain(
        "cronjob-controller|Normal|JobAlreadyActive|Not starting job because prior execution is running and concurrency policy is Forbid|N",
      ),
    );
    expect((await list(Job)).map((job) => job.metadata.name)).toEqual([name(earlier)]);
    await patch(CronJob, "turn", { spec: { concurrencyPolicy: "Replace" } });
    await eventually(async () => {
      expect((await list(Job)).map((job) => job.metadata.name)).toEqual([name(latest)]);
      const notes = await told("CronJob");
      expect(notes).toContain(`cronjob-controller|Normal|SuccessfulDelete|Deleted job ${name(earlier)}|1`);
      expect(notes).toContain(`cronjob-controller|Normal|SuccessfulCreate|Created job ${name(latest)}|1`);
      const { status } = await client.get(CronJob, { namespace, name: "turn" });
      expect(status?.active?.map((each) => each.name)).toEqual([name(latest)]);
    });
  });

  it("keep a pod of a daemon set on each node that it fits, and replace it with its template", async () => {
    const { client, kind } = server();
    const nodes = (await client.list(Node)).items.map(({ metadata }) => metadata.name);
    if (kind === "real") {
      const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker" }, spec: {} };
      await client.create(Node, node);
      nodes.push("worker");
      const status = {
        conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: new Date().toISOString() }],
      };
      await client.patch(
        Node,
        { name: "worker" },
        { type: "merge", body: { status } },
        { subresource: "status" },
      );
      await client.patch(Node, { name: "worker" }, { type: "merge", body: { spec: { taints: [] } } });
    }
    await create(DaemonSet, "each", { selector, template });
    await create(DaemonSet, "none", {
      selector: { matchLabels: { app: "none" } },
      template: {
        metadata: { labels: { app: "none" } },
        spec: { ...template.spec, nodeSelector: { disk: "ssd" } },
      },
    });
    await eventually(async () => {
      const { status } = await client.get(DaemonSet, { namespace, name: "each" });
      expect(status).toMatchObject({
        desiredNumberScheduled: nodes.length,
        currentNumberScheduled: nodes.length,
        updatedNumberScheduled: nodes.length,
        observedGeneration: 1,
      });
      const other = await client.get(DaemonSet, { namespace, name: "none" });
      expect(other.status).toMatchObject({ desiredNumberScheduled: 0, observedGeneration: 1 });
    });
    const [pod] = await list(Pod);
    expect(pod?.metadata.ownerReferences).toMatchObject([
      { kind: "DaemonSet", name: "each", controller: true },
    ]);
    expect(pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodes[0]] }] }],
    });
    expect(pod?.spec.tolerations?.map(({ key, operator, effect }) => [key, operator, effect])).toEqual([
      ["node.kubernetes.io/not-ready", "Exists", "NoExecute"],
      ["node.kubernetes.io/unreachable", "Exists", "NoExecute"],
      ["node.kubernetes.io/disk-pressure", "Exists", "NoSchedule"],
      ["node.kubernetes.io/memory-pressure", "Exists", "NoSchedule"],
      ["node.kubernetes.io/pid-pressure", "Exists", "NoSchedule"],
      ["node.kubernetes.io/unschedulable", "Exists", "NoSchedule"],
    ]);
    const hash = pod?.metadata.labels?.["controller-revision-hash"] ?? "";
    const ours = async (): Promise<readonly ControllerRevision[]> =>
      (await list(ControllerRevision)).filter(({ metadata }) => metadata.name.startsWith("each-"));
    expect(await ours()).toMatchObject([
      {
        revision: 1,
        metadata: { name: `each-${hash}`, labels: { ...labels, "controller-revision-hash": hash } },
      },
    ]);
    await patch(DaemonSet, "each", {
      spec: { template: { spec: { containers: [{ name: "c", image: "web:2" }] } } },
    });
    await eventually(async () => {
      const images = (await list(Pod)).map(({ spec }) => spec.containers[0]?.image);
      expect(images).toEqual(nodes.map(() => "web:2"));
      expect((await client.get(DaemonSet, { namespace, name: "each" })).status).toMatchObject({
        updatedNumberScheduled: nodes.length,
        observedGeneration: 2,
      });
    });
    expect(new Set((await ours()).map(({ revision }) => revision))).toEqual(new Set([1, 2]));
    await eventually(async () => {
      expect(new Set(await told("DaemonSet"))).toEqual(
        new Set([
          "daemonset-controller|Normal|SuccessfulCreate|Created pod: each-…|1",
          "daemonset-controller|Normal|SuccessfulDelete|Deleted pod: each-…|1",
        ]),
      );
    });
  });
});
