// The kind DatabaseUser.
import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";

/** What may be granted on a table. */
const privilege = z.enum(["SELECT", "INSERT", "UPDATE", "DELETE"]);

/** The kind of {@link DatabaseUser}. */
export const DatabaseUser = defineKind({
  group: "users.example.com",
  version: "v1",
  kind: "DatabaseUser",
  description: "A user of a PostgreSQL database, and what it may do there.",
  spec: z.object({
    server: z
      .string()
      .min(1)
      .describe("A Secret with host, port, username and password of an administrator, and the database."),
    grants: z
      .array(z.object({ table: z.string().min(1), privileges: z.array(privilege).min(1) }))
      .min(1)
      .max(100),
  }),
  printerColumns: [{ name: "Server", type: "string", jsonPath: ".spec.server" }],
});

/** A DatabaseUser. */
export type DatabaseUser = InstanceOf<typeof DatabaseUser>;
