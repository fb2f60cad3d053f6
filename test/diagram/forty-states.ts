// A big lifecycle, as grown over years: forty states in five groups, with guards, timers, tasks and ways back.
import { createMachine, type AnyStateMachine } from "xstate";

const groups = ["Provisioning", "Serving", "Maintenance", "Migration", "Decommissioning"] as const;
const steps = [
  "Requested",
  "Validating",
  "Preparing",
  "Executing",
  "Verifying",
  "Reporting",
  "Settled",
] as const;

/** Five groups of seven states each, forty in all. */
export const fortyStates: AnyStateMachine = createMachine({
  id: "forty",
  initial: "Provisioning",
  states: Object.fromEntries(
    groups.map((group, place) => [
      group,
      {
        initial: "Requested",
        on: {
          [`desired.${groups[(place + 1) % groups.length] ?? ""}`]: groups[(place + 1) % groups.length],
          "human.reset": { target: "Provisioning", guard: "isAllowedByTheOwner" },
        },
        states: Object.fromEntries(
          steps.map((step, number) => {
            const next = steps[number + 1];
            return [
              step,
              {
                ...(step === "Executing"
                  ? { invoke: { id: `do${group}`, src: `do${group}`, onDone: "Verifying" } }
                  : {}),
                on: {
                  ...(next === undefined || step === "Executing" ? {} : { [`observed.${next}`]: next }),
                  ...(step === "Verifying"
                    ? { "human.again": { target: "Preparing", guard: "mayBeTriedAgain" } }
                    : {}),
                },
                ...(step === "Validating" ? { after: { validationTimeout: "Requested" } } : {}),
              },
            ];
          }),
        ),
      },
    ]),
  ),
});
