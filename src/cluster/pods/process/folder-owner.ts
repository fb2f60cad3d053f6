// Gives folders to the user that a container runs as; only root can, and only then is it done.
import { chmod, chown, lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
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

/** Makes an owner the owner of a folder and, unless it was already, of everything in it. */
export async function giveFolder(folder: string, owner: ProcessOwner): Promise<void> {
  if (owner.uid === undefined && owner.gid === undefined) return;
  const now = await stat(folder);
  const uid = owner.uid ?? now.uid;
  const gid = owner.gid ?? now.gid;
  if (now.uid === uid && now.gid === gid) return;
  await giveTree(folder, uid, gid);
}

async function giveTree(path: string, uid: number, gid: number): Promise<void> {
  const entry = await lstat(path);
  // A link is not followed: it may lead out of the volume.
  if (entry.isSymbolicLink()) return;
  await chown(path, uid, gid);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await giveTree(join(path, name), uid, gid);
}

/** Lets other users pass through a folder, so that they reach what is theirs below it. */
export async function openPassage(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o7777) | 0o011);
}
