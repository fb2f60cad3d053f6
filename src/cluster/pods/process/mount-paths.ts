// Where a container's mounts really are, and the rewriting that makes its command find them.
// A local process has no mount namespace: `/var/lib/data` of a volumeMount is a folder somewhere below the cluster's
// directory. So each mountPath that occurs as a path or as the start of one, in command, args and environment values,
// is replaced by that folder, and the folder is also exported as an environment variable named after the volume.
// Files (a mounted configuration file, for instance) are not rewritten: name paths there by the variables.

/** One mount: the path that the container's author wrote, and the folder or file that stands for it. */
export interface MountPath {
  /** Name of the volume. */
  readonly volume: string;
  /** `mountPath`, absolute. */
  readonly path: string;
  /** What is there on this machine. */
  readonly target: string;
}

/** A character that can be inside a path, so that `/data` is not found in `/var/data` or `/database`. */
const inPath = "A-Za-z0-9_.\\-/~@%+";

/** The rewriting for these mounts: from a text to the text with each mounted path replaced, the longest first. */
export function createMountRewriter(mounts: readonly MountPath[]): (text: string) => string {
  const targets = new Map(mounts.map((mount) => [withoutSlash(mount.path), mount.target]));
  // The root as a mount would catch every path of the machine.
  const paths = [...targets.keys()].filter((path) => path !== "").sort((a, b) => b.length - a.length);
  if (paths.length === 0) return (text) => text;
  const alternatives = paths.map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![${inPath}])(?:${alternatives})(?=/|$|[^${inPath}])`, "g");
  return (text) => text.replace(pattern, (path) => targets.get(path) ?? path);
}

/** The mount that a path is or is below of; the innermost one. */
export function mountOf(path: string, mounts: readonly MountPath[]): MountPath | undefined {
  return mounts
    .map((mount) => ({ ...mount, path: withoutSlash(mount.path) }))
    .filter((mount) => mount.path !== "" && (path === mount.path || path.startsWith(`${mount.path}/`)))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** The variables that name the mounts: `XSTATE_MOUNT_` and the volume's name in capitals. */
export function mountVariables(mounts: readonly MountPath[]): Record<string, string> {
  return Object.fromEntries(
    mounts.map((mount) => [
      `XSTATE_MOUNT_${mount.volume.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`,
      mount.target,
    ]),
  );
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
