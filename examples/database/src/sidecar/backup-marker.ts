// The file that says a backup is whole: written last and in one step by the backup program, read by the operator.
import { z } from "zod";

/** The marker's name inside the folder of a backup. */
export const markerFile = "finished.json";

/** What the marker says. */
export const backupMarker = z.object({
  name: z.string(),
  /** The archive, relative to the backup folder. */
  file: z.string(),
  /** Bytes of the archive. */
  size: z.int().nonnegative(),
  /** Where replay starts and ends in the write-ahead log. */
  startLsn: z.string(),
  endLsn: z.string(),
  /** RFC 3339, UTC. */
  time: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

/** A finished backup. */
export type BackupMarker = z.infer<typeof backupMarker>;

/** The marker in a file's text, or undefined when the text is no marker: the backup does not count as finished. */
export function parseMarker(text: string | null): BackupMarker | undefined {
  if (text === null) return undefined;
  try {
    return backupMarker.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
