// Which user a container and its volumes belong to. Only root can give something away, and only then is it done.
import { chmod, mkdir, stat } from "node:fs/promises";
import type { Container, PodSpec } from "../../../kinds/builtin/parts.ts";

/** The user and group of a container; absent: our own. */
export interface ProcessOwner {
  readonly uid?: number;
  readonly gid?: number;
}

/** As whom a container runs: its own security context before the pod's. `root` says whether we can change users at all. */
export function ownerOf(spec: PodSpec, container: Container, root: boolean): ProcessOwner {
  if (!root) return {};
  const uid = container.securityContext?.runAsUser ?? spec.securityContext?.runAsUser;
  const gid =
    container.securityContext?.runAsGroup ??
    spec.securityContext?.runAsGroup ??
    spec.securityContext?.fsGroup ??
    uid;
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}

/** The owner of a volume's folder, and who else may use it: a container that runs as another user. */
export interface VolumeAccess {
  readonly owner: ProcessOwner;
  readonly mode: number;
}

/**
 * Whom a volume belongs to: the one user of all containers that mount it, and nobody else gets in; with several users the
 * group of the pod's volumes, or whoever knows the folder, whose path holds the pod's uid.
 */
export function accessTo(volume: string, spec: PodSpec, root: boolean): VolumeAccess {
  const mounting = [...spec.containers, ...(spec.initContainers ?? [])].filter(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name }) => name === volume),
  );
  const owners = mounting.map((container) => ownerOf(spec, container, root));
  const [owner = {}] = owners;
  if (owners.every(({ uid }) => uid === owner.uid)) return { owner, mode: 0o700 };
  const group = spec.securityContext?.fsGroup;
  return group === undefined ? { owner, mode: 0o777 } : { owner: { ...owner, gid: group }, mode: 0o2770 };
}

/** Lets other users pass through a folder of ours, so that they reach what is theirs below it; they do not see what is in it. */
export async function openPassage(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o700) | 0o011);
}

/** Makes a folder of ours, unless it is there, that containers pass through on their way to what is theirs. */
export async function makePassage(folder: string, root: boolean): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (root) await openPassage(folder);
}
