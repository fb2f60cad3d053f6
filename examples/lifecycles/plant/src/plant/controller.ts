// The controller of plants: each region is observed by itself, from what the sensors report.
import { defineController } from "xstate-operator";
import { ConfigMap } from "xstate-operator/kinds";
import { Plant } from "./plant.ts";

export const plantController = defineController(Plant, {
  watches: [
    {
      type: ConfigMap,
      mapTo: ({ metadata: { namespace, labels = {} } }) => {
        const name = labels["works.example.com/plant"];
        return name === undefined || namespace === undefined ? [] : [{ namespace, name }];
      },
    },
  ],
  application: {
    observe: ({ cr, lookUp }) => {
      const { namespace } = cr.metadata;
      const readings = lookUp(ConfigMap, { namespace, name: cr.spec.sensors })?.data ?? {};
      const archived = lookUp(ConfigMap, { namespace, name: cr.spec.archive })?.data ?? {};
      const speed = Number(readings["megabits"] ?? 0);
      return {
        states: [
          speed === 0 ? "Down" : speed < 100 ? "Slow" : "Fast",
          readings["batch"] === archived["batch"] ? "Clean" : "Dirty",
        ],
        message: `${speed} Mbit/s`,
      };
    },
    tasks: {
      // Copying a batch twice is copying it once, so that a start that is repeated does no harm.
      sync: {
        start: async ({ cr, client }) => {
          const { namespace } = cr.metadata;
          const { data = {} } = await client.get(ConfigMap, { namespace, name: cr.spec.sensors });
          const { batch = "" } = data;
          await client.apply(
            ConfigMap,
            {
              apiVersion: "v1",
              kind: "ConfigMap",
              metadata: { namespace, name: cr.spec.archive },
              data: { batch },
            },
            { fieldManager: "plant-operator", force: true },
          );
        },
      },
    },
  },
});
