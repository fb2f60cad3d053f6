// What is declared of a machine.
import { z } from "zod";

/** The schema of {@link MachineSpec}. */
export const machineSpec = z.object({
  flavor: z.string().default("small").describe("The instance's type at the cloud."),
  bootstrap: z.string().describe("The Secret that has the data to boot with; the machine waits for it."),
  drainMinutes: z
    .number()
    .positive()
    .default(10)
    .describe("After them a machine is deleted although it is not drained."),
});

/** A Machine's spec. */
export type MachineSpec = z.output<typeof machineSpec>;
