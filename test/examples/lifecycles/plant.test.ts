// A plant: its regions move each by its own sensors, maintenance remembers where it was.
import { Plant } from "../../../examples/lifecycles/plant/src/plant/plant.ts";
import plant from "../../../examples/lifecycles/plant/operator.ts";
import { isNotFound } from "../../../src/client/api-error.ts";
import { ConfigMap } from "../../../src/kinds/builtin/core.ts";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import { describeLives, desire } from "./describe-lives.ts";

async function report(client: KubeClient, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name: "sensors", namespace: "default", labels: { "works.example.com/plant": "one" } };
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await client.apply(ConfigMap, manifest, { fieldManager: "sensors", force: true });
}

async function archived(client: KubeClient): Promise<string | undefined> {
  try {
    return (await client.get(ConfigMap, { namespace: "default", name: "archive" })).data?.["batch"];
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const sensors = (what: string, data: Readonly<Record<string, string>>, until: string) => ({
  what,
  act: ({ client }: { readonly client: KubeClient }) => report(client, data),
  until,
});

describeLives("a plant", {
  folder: "plant",
  kind: Plant,
  world: () => ({}),
  operator: () => plant,
  samples: { specs: [{ sensors: "sensors" }, { sensors: "others" }] },
  steps: [
    {
      what: "created",
      act: ({ create }) => create({ sensors: "sensors" }),
      until: "Live:network:Down,Live:data:Clean",
    },
    sensors("network up", { megabits: "10" }, "Live:network:Up:Slow,Live:data:Clean"),
    sensors("network fast, a batch", { megabits: "500", batch: "7" }, "Live:network:Up:Fast,Live:data:Clean"),
    desire("Maintenance"),
    desire("Live", "Live:network:Up:Fast,Live:data:Clean"),
    sensors("network down", { megabits: "0", batch: "7" }, "Live:network:Down,Live:data:Clean"),
    desire("Idle"),
    desire("Scrapped"),
    { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
  ],
  outcome: ({ client }) => archived(client),
  expected: "7",
});
