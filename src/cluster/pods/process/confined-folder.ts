// Folders and files that a container may have had its hands on, made and given away by us, who may be root: no link is
// followed, and nothing outside of the root is touched, whatever the container does meanwhile. Each step goes from an open
// folder to what is in it; without Linux's /proc it goes by paths, where nobody else's processes run anyway.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lchown, lstat, mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { ContainerStartError } from "../container-backend.ts";
import type { ProcessOwner } from "./folder-owner.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/**
 * A relative path without anything that leads out of where it starts; empty for the start itself.
 * Errors: `ContainerStartError` (CreateContainerConfigError), which names what the path was given as.
 */
export function confinedPath(path: string, what: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..") || path.includes("\0")) {
    throw configError(`${what} "${path}" must be a relative path without ".."`);
  }
  return parts.join("/");
}

/** How a path below a root is followed. */
interface Descent {
  /** What the path was given as. */
  readonly what: string;
  /** Whom folders are given to that are missing and made; default our own. */
  readonly owner?: ProcessOwner;
}

/**
 * The path of what is below a root; folders that are missing are made and given to the owner. What is there may be a file.
 * Errors: `ContainerStartError` for a path that leads out of the root, or through a link.
 */
export async function pathWithin(root: string, relative: string, descent: Descent): Promise<string> {
  const { path, handle } = await descend(root, relative, descent);
  await handle.close();
  return path;
}

/**
 * Puts a file below a root in the place of what is there, which may be a link: whoever reads it sees the old one or the new one. It is given to
 * whom its folder belongs to.
 * Errors: as {@link pathWithin}.
 */
export async function replaceFile(
  root: string,
  relative: string,
  data: string,
  { mode, ...descent }: Descent & { readonly mode: number },
): Promise<void> {
  const parts = confinedPath(relative, descent.what).split("/");
  const name = parts.pop() ?? "";
  const { path, handle } = await descend(root, parts.join("/"), descent);
  try {
    const folder = within(handle, path);
    const fresh = join(folder, `.${randomUUID()}`);
    const file = await open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    try {
      await file.writeFile(data);
      await file.chmod(mode);
      await giveHandle(file, await handle.stat());
    } finally {
      await file.close();
    }
    await rename(fresh, join(folder, name));
  } finally {
    await handle.close();
  }
}

/** What is below a root, opened. */
async function descend(
  root: string,
  relative: string,
  { what, owner = {} }: Descent,
): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  const confined = confinedPath(relative, what);
  let path = root;
  let handle = await open(root, O_RDONLY | O_DIRECTORY);
  try {
    for (const part of confined === "" ? [] : confined.split("/")) {
      const { made, entry: next } = await enter(join(within(handle, path), part), `${what} "${relative}"`);
      await handle.close();
      handle = next;
      path = join(path, part);
      if (made) await giveHandle(handle, owner);
    }
    return { path, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Makes an owner the owner of a folder and, unless it was already, of everything in it. Links are given, not followed. */
export async function giveFolder(path: string, owner: ProcessOwner): Promise<void> {
  if (owner.uid === undefined && owner.gid === undefined) return;
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const { uid, gid } = await folder.stat();
    if ((owner.uid ?? uid) === uid && (owner.gid ?? gid) === gid) return;
    await giveTree(folder, path, owner);
  } finally {
    await folder.close();
  }
}

/** An empty file for a container to write into. */
export async function emptyFile(path: string, owner: ProcessOwner): Promise<void> {
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    await giveHandle(file, owner);
  } finally {
    await file.close();
  }
}

/** The first bytes of a file as text; empty for what is no file, a link for instance. */
export async function beginningOf(path: string, bytes: number): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!(await file.stat()).isFile()) return "";
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } catch {
    // The container has written none.
    return "";
  } finally {
    await file?.close();
  }
}

async function giveTree(folder: FileHandle, path: string, owner: ProcessOwner): Promise<void> {
  await giveHandle(folder, owner);
  for (const name of await readdir(within(folder, path))) {
    const entry = join(within(folder, path), name);
    const stats = await lstat(entry);
    if (stats.isDirectory()) {
      const inner = await open(entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      try {
        await giveTree(inner, join(path, name), owner);
      } finally {
        await inner.close();
      }
    } else if (stats.nlink === 1) {
      // The other name of a file that has two may stand anywhere.
      await lchown(entry, owner.uid ?? stats.uid, owner.gid ?? stats.gid);
    }
  }
}

async function giveHandle(handle: FileHandle, owner: ProcessOwner): Promise<void> {
  if (owner.uid === undefined && owner.gid === undefined) return;
  const { uid, gid } = await handle.stat();
  await handle.chown(owner.uid ?? uid, owner.gid ?? gid);
}

/** Opens a folder, made if it is missing, or a file; no link. */
async function enter(
  path: string,
  what: string,
): Promise<{ readonly made: boolean; readonly entry: FileHandle }> {
  try {
    const made = await mkdir(path, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === "EEXIST") return false;
        throw error;
      },
    );
    return { made, entry: await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ELOOP") throw configError(`${what} leads through a link`);
    if (code === "ENOTDIR") throw configError(`${what} leads through a file`);
    throw error;
  }
}

/** Where what is in an open folder is found, wherever its path leads to by now. */
function within(folder: FileHandle, path: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${folder.fd}` : path;
}

function configError(message: string): ContainerStartError {
  return new ContainerStartError("CreateContainerConfigError", message, {
    remedy: "Correct the pod: it may only name what is within its own volumes and folders.",
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
