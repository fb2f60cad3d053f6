// Autoscalers of the embedded cluster beside those of kube-controller-manager: what they come to, what they say of it and the Events that
// they leave. On the real one metrics are served through an APIService, and its periods are short; on the embedded one time jumps.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { createJumpingClock } from "../support/jumping-clock.ts";
import { serveMetrics } from "../support/metrics-server.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { home, shop, startEmbedded, startReal, type ClusterForOperator } from "../support/side-by-side.ts";
import { Stage, template, workload, type Manifest } from "./beside-kubernetes/act.ts";

interface Act {
  readonly name: string;
  readonly apply?: readonly Manifest[];
  readonly does?: (stage: Stage) => Promise<unknown>;
  /** Replicas that are to be there. */
  readonly replicas: number;
  /** Reasons of its conditions then, by their types. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Which of its Events are compared; default those of scaling. */
  readonly events?: RegExp;
  /** Whether it is another autoscaler from here on: of one there are only so many Events. */
  readonly anew?: true;
}

const web = (resources: object, replicas = 2): Manifest =>
  workload(
    "Deployment",
    "web",
    template("web", "1", { containers: [{ name: "main", image: "web", resources }] }),
    {
      replicas,
    },
  );

const requests = { requests: { cpu: "100m", memory: "64Mi" } };

const cpu = (target: object): object => ({ type: "Resource", resource: { name: "cpu", target } });
const half = cpu({ type: "Utilization", averageUtilization: 50 });

const autoscaler = (spec: object, name = "web"): Manifest => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: 1,
    maxReplicas: 6,
    metrics: [half],
    ...spec,
  },
});

const load = (usage: Readonly<Record<string, string | null>>) => (stage: Stage) =>
  stage.patch("Deployment", "web", {
    metadata: {
      annotations: Object.fromEntries(
        Object.entries(usage).map(([name, amount]) => [`metrics.xstate-operator.dev/${name}`, amount]),
      ),
    },
  });

const perSecond = (count: number): object => ({
  policies: [{ type: "Pods", value: count, periodSeconds: 1 }],
});
const found = "ValidMetricFound";
const failed = /FailedGet|FailedCompute/;
/** Which sizes there are on the way depends on who looks when. */
const none = /^$/;

const acts: readonly Act[] = [
  {
    name: "nothing is measured",
    apply: [web(requests), autoscaler({})],
    replicas: 2,
    reasons: { ScalingActive: "FailedGetResourceMetric" },
    events: failed,
  },
  {
    name: "the load is four times what it may be: it doubles, up to its limit",
    does: load({ cpu: "200m" }),
    replicas: 6,
    reasons: { ScalingLimited: "TooManyReplicas", ScalingActive: found },
  },
  {
    name: "the load is what it may be",
    does: load({ cpu: "50m" }),
    replicas: 6,
    reasons: { ScalingLimited: "DesiredWithinRange", AbleToScale: "ReadyForNewScale" },
  },
  {
    name: "the load falls, and it waits before it shrinks",
    apply: [autoscaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 3_600 } } })],
    does: load({ cpu: "10m" }),
    replicas: 6,
    reasons: { AbleToScale: "ScaleDownStabilized" },
  },
  {
    name: "it shrinks by two a second",
    apply: [autoscaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 0, ...perSecond(2) } } })],
    replicas: 1,
    reasons: { AbleToScale: "ReadyForNewScale", ScalingLimited: "DesiredWithinRange" },
  },
  {
    name: "it grows by one a second",
    apply: [autoscaler({ behavior: { scaleUp: perSecond(1), scaleDown: { selectPolicy: "Disabled" } } })],
    does: load({ cpu: "70m" }),
    replicas: 6,
    reasons: { ScalingLimited: "TooManyReplicas" },
    events: none,
  },
  {
    name: "it may not shrink",
    does: load({ cpu: "10m" }),
    replicas: 6,
    reasons: { ScalingLimited: "ScaleDownLimit" },
    events: none,
  },
  {
    name: "its limit is lowered",
    apply: [autoscaler({ maxReplicas: 4, behavior: { scaleDown: { selectPolicy: "Disabled" } } })],
    replicas: 4,
    reasons: { AbleToScale: "ReadyForNewScale" },
    events: none,
  },
  {
    name: "its least number is raised, and it needs fewer",
    anew: true,
    apply: [
      autoscaler({
        minReplicas: 5,
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      }),
    ],
    replicas: 5,
    reasons: { ScalingLimited: "TooFewReplicas" },
  },
  {
    name: "an amount for each pod is its target",
    apply: [
      autoscaler({
        metrics: [cpu({ type: "AverageValue", averageValue: "20m" })],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      }),
    ],
    replicas: 1,
    reasons: { ScalingActive: found, ScalingLimited: "DesiredWithinRange" },
  },
  {
    name: "one container's use is its target",
    apply: [
      autoscaler({
        metrics: [
          {
            type: "ContainerResource",
            containerResource: {
              name: "cpu",
              container: "main",
              target: { type: "Utilization", averageUtilization: 20 },
            },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      }),
    ],
    does: load({ cpu: "40m" }),
    replicas: 6,
    reasons: { ScalingActive: found },
  },
  {
    name: "one of two metrics asks for more",
    apply: [
      autoscaler({
        metrics: [
          half,
          {
            type: "Resource",
            resource: { name: "memory", target: { type: "AverageValue", averageValue: "50Mi" } },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      }),
    ],
    does: load({ cpu: "10m", memory: "80Mi" }),
    replicas: 6,
    reasons: { ScalingActive: found, ScalingLimited: "TooManyReplicas" },
  },
  {
    name: "what it scales is set to zero",
    does: (stage) => stage.patch("Deployment", "web", { spec: { replicas: 0 } }),
    replicas: 0,
    reasons: { ScalingActive: "ScalingDisabled" },
  },
  {
    name: "its pods do not say what they need",
    anew: true,
    apply: [web({}, 1), autoscaler({})],
    does: load({ memory: null }),
    replicas: 1,
    reasons: { ScalingActive: "FailedGetResourceMetric" },
  },
  {
    name: "what it scales is not there",
    anew: true,
    apply: [autoscaler({})],
    does: (stage) => stage.remove("Deployment", "web"),
    replicas: 0,
    reasons: { AbleToScale: "FailedGetScale" },
    events: failed,
  },
];

/** Where nobody serves any metrics. */
const actsOfNobody: readonly Act[] = [
  ...(["Value", "AverageValue"] as const).flatMap((type): readonly Act[] => {
    const target = { type, [type === "Value" ? "value" : "averageValue"]: "3" };
    const metric = { name: "queue", selector: { matchLabels: { team: "blue" } } };
    const describedObject = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    return [
      {
        name: `nobody serves an external metric for its ${type}`,
        anew: true,
        apply: [
          web(requests, 1),
          autoscaler({ metrics: [{ type: "External", external: { metric, target } }] }),
        ],
        replicas: 1,
        reasons: { ScalingActive: "FailedGetExternalMetric" },
        events: failed,
      },
      {
        name: `nobody serves the metric of an object for its ${type}`,
        anew: true,
        apply: [autoscaler({ metrics: [{ type: "Object", object: { describedObject, metric, target } }] })],
        replicas: 1,
        reasons: { ScalingActive: "FailedGetObjectMetric" },
        events: failed,
      },
    ];
  }),
  {
    name: "nobody serves a metric of its pods",
    anew: true,
    apply: [
      autoscaler({
        metrics: [
          {
            type: "Pods",
            pods: { metric: { name: "jobs" }, target: { type: "AverageValue", averageValue: "3" } },
          },
        ],
      }),
    ],
    replicas: 1,
    reasons: { ScalingActive: "FailedGetPodsMetric" },
    events: failed,
  },
];

describeOnRealApiServer(
  "autoscalers of the embedded cluster and",
  () => {
    describe.each([
      ["with a metrics server", acts, true],
      ["without metrics", actsOfNobody, false],
    ] as const)("%s", (_, performed, isMeasured) => {
      const clock = createJumpingClock();
      let clusters: readonly ClusterForOperator[] = [];
      let stages: readonly Stage[] = [];
      let metrics: { stop(): Promise<void> } | undefined;

      beforeAll(async () => {
        clusters = await Promise.all([
          // Its time jumps: by the usual hour it would forget Events in the middle of an act.
          startEmbedded({ clock, metrics: isMeasured, eventTtl: "100000h" }),
          startReal(undefined, {
            controllerFlags: [
              "--horizontal-pod-autoscaler-sync-period=400ms",
              "--horizontal-pod-autoscaler-downscale-stabilization=1s",
            ],
          }),
        ]);
        stages = clusters.map(({ client }) => new Stage(client, shop));
        if (isMeasured) metrics = await serveMetrics(clusters[1]!.client, home);
      });
      afterAll(async () => {
        await metrics?.stop();
        await Promise.all(clusters.map((each) => each.stop()));
      });

      it.each(performed)(
        "$name",
        async ({ apply = [], does, anew, replicas, reasons, events = /SuccessfulRescale/ }) => {
          await Promise.all(
            stages.map(async (stage) => {
              const isThere = (await stage.find("HorizontalPodAutoscaler", "web")) !== undefined;
              if (anew === true && isThere) await stage.remove("HorizontalPodAutoscaler", "web");
              for (const manifest of apply) await stage.apply(manifest);
              await does?.(stage);
            }),
          );
          await eventually(async () => {
            clock.jump(16_000);
            const [embedded, real] = await Promise.all(stages.map((stage) => seenOn(stage, events)));
            expect(real).toMatchObject({ replicas, status: { conditions: reasonsOf(reasons) } });
            expect(embedded).toEqual(real);
          });
        },
      );
    });
  },
  { long: true },
);

function reasonsOf(reasons: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(reasons).map(([type, reason]) => [type, expect.objectContaining({ reason })]),
  );
}

/** What can be seen of the autoscaler, but for times and the random ends of names. */
async function seenOn(stage: Stage, events: RegExp): Promise<object> {
  const deployment = await stage.find("Deployment", "web");
  const { status = {}, metadata } = (await stage.find("HorizontalPodAutoscaler", "web")) ?? {};
  const { lastScaleTime: _, conditions = [], ...more } = status;
  const told = (await stage.list("Event")) as unknown as readonly {
    readonly reason: string;
    readonly type: string;
    readonly message: string;
    readonly involvedObject: { readonly uid: string };
    readonly source?: { readonly component?: string };
  }[];
  return {
    replicas: deployment?.status?.["readyReplicas"] ?? 0,
    status: {
      ...more,
      conditions: Object.fromEntries(
        (conditions as readonly { type: string; status: string; reason: string; message: string }[]).map(
          ({ type, status: state, reason, message }) => [
            type,
            { status: state, reason, message: plain(message) },
          ],
        ),
      ),
    },
    events: [
      ...new Set(
        told
          .filter(({ reason, involvedObject }) => involvedObject.uid === metadata?.uid && events.test(reason))
          .map(({ type, reason, message, source }) =>
            [source?.component, type, reason, plain(message)].join(" | "),
          ),
      ),
    ].toSorted(),
  };
}

function plain(text: string): string {
  return text.replaceAll(/\bweb-[a-z0-9]+-[a-z0-9]{5}\b/g, "web-…");
}
