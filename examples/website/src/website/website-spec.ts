// What is declared of a website.
import { z } from "zod";

/** The schema of {@link WebsiteSpec}. */
export const websiteSpec = z.object({
  replicas: z.int().min(1).max(10).default(2),
  page: z.string().default("<h1>Welcome</h1>").describe("What visitors see."),
  maintenanceMinutes: z.number().positive().default(10).describe("After them it opens again."),
});

/** A Website's spec. */
export type WebsiteSpec = z.output<typeof websiteSpec>;
