// What the sidecar says of its server, and the operator reads: only what changes rarely, as each change reconciles the Database.
import { z } from "zod";
import { backupMarker } from "./backup-marker.ts";

/** The facts of a server that answers. */
export const serverFacts = z.object({
  /** For instance `18.4`. */
  version: z.string(),
  configuration: z.object({
    /** Of the text of its postgresql.conf. */
    digest: z.string(),
    /** Whether the server has read that text, and not only been given it since. */
    loaded: z.boolean(),
  }),
  /** The newest finished backup. */
  lastBackup: backupMarker.exactOptional(),
});

/** See {@link serverFacts}. */
export type ServerFacts = z.infer<typeof serverFacts>;
