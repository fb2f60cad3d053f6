// What a cluster that keeps its data is known by to its clients, so that their kubeconfig holds after a restart: certificate,
// tokens, the key of the tokens of accounts, and the port. It also says in which format the folder is.
import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { identityFile } from "./api/storage/data-folder.ts";
import {
  createFrontProxyCertificate,
  createServerCertificate,
  type SignedCertificate,
} from "./api/http/tls.ts";

/** By what a cluster is known. */
export interface ClusterIdentity {
  /** Of everything in the folder. */
  readonly format: number;
  readonly certificate: SignedCertificate;
  /** How it shows other API servers who it is. */
  readonly frontProxy: SignedCertificate;
  readonly adminToken: string;
  readonly controllersToken: string;
  /** Base64. */
  readonly accountKey: string;
  /** The port that it had last. */
  readonly port?: number;
}

/** The format that this version writes. */
const format = 1;

/** The names by which the Service `kubernetes` is known: clients may take any of them for the name of the server. */
const serviceNames: readonly string[] = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** A new one. */
export async function newIdentity(now: number): Promise<ClusterIdentity> {
  const [certificate, frontProxy] = await Promise.all([
    createServerCertificate(now, serviceNames),
    createFrontProxyCertificate(now),
  ]);
  return {
    format,
    certificate,
    frontProxy,
    adminToken: newToken(),
    controllersToken: newToken(),
    accountKey: randomBytes(32).toString("base64"),
  };
}

/** That of a folder; a new one where it has none. **Errors**: `CLUSTER_DATA_DAMAGED`, `CLUSTER_DATA_NEWER`. */
export async function readIdentity(folder: string, now: number): Promise<ClusterIdentity> {
  const path = fileIn(folder);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return newIdentity(now);
    throw damaged(path, error);
  }
  let identity: Omit<ClusterIdentity, "frontProxy"> & Partial<ClusterIdentity>;
  try {
    identity = JSON.parse(text) as ClusterIdentity;
  } catch (error) {
    throw damaged(path, error);
  }
  if (identity.format <= format) {
    // A folder of an earlier version has none.
    return { ...identity, frontProxy: identity.frontProxy ?? (await createFrontProxyCertificate(now)) };
  }
  throw new OperatorError(
    "CLUSTER_DATA_NEWER",
    `${folder} was written by a newer version of xstate-operator`,
    {
      remedy: "Use that version, or another folder.",
    },
  );
}

/** Keeps it in a folder, for its owner only. */
export async function keepIdentity(folder: string, identity: ClusterIdentity): Promise<void> {
  const path = fileIn(folder);
  const fresh = `${path}.${randomUUID()}.new`;
  await writeFile(fresh, `${JSON.stringify(identity, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(fresh, path);
}

function fileIn(folder: string): string {
  return join(folder, identityFile);
}

function newToken(): string {
  return randomBytes(24).toString("hex");
}

function damaged(path: string, cause: unknown): OperatorError {
  return new OperatorError("CLUSTER_DATA_DAMAGED", `${path} cannot be read: ${messageOf(cause)}`, {
    cause,
    remedy:
      "Remove it: the cluster gets a new certificate and new tokens, and its kubeconfig is written again.",
  });
}
