// One pod as local processes: its folder, its address, and how its containers are started in them.
//
//   FOLDER/volumes/NAME           emptyDir, configMap, secret, projected and downwardAPI volumes
//   FOLDER/containers/NAME        the container's home and default working folder
//   FOLDER/messages/NAME          the container's termination log, in a folder that is not the container's
//   FOLDER/logs/NAME.ATTEMPT.log  output of each instance; the last two are kept
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import {
  type ContainerCheck,
  type ContainerEvents,
  ContainerStartError,
  type PodSandbox,
  type StartedContainer,
} from "../container-backend.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import type { PodAttachRequest, PodExecRequest, PodExecResult } from "../pod-runtime.ts";
import type { KeysOf } from "../pod-sources.ts";
import { accountAccess } from "./account-access.ts";
import { findCommand } from "./command-lookup.ts";
import { containerEnvironment } from "./container-environment.ts";
import { ContainerLog } from "./container-log.ts";
import { type ProcessSpec, startProcess } from "./container-process.ts";
import { confinedPath, emptyFile, giveFolder, pathWithin } from "./confined-folder.ts";
import { accessTo, makePassage, ownerOf, type ProcessOwner } from "./folder-owner.ts";
import { checkHttp, checkTcp } from "./health-check.ts";
import { JoinableContainer } from "./joinable-container.ts";
import { createMountRewriter, mountOf, type MountPath, mountVariables } from "./mount-paths.ts";
import { MountedTokens, type TokenOf } from "./mounted-tokens.ts";
import { clusterMarker, containerMarker } from "./process-group.ts";
import type { Reaper } from "./reaper.ts";
import { serverVariables } from "./service-variables.ts";
import { expandVariables } from "./variable-expansion.ts";
import { makeVolumes, type VolumeFolder } from "./volume-folders.ts";

/** What a sandbox gets from the runtime that makes it. */
export interface ProcessSandboxOptions {
  readonly pod: Pod;
  /** The pod's folder; exists. */
  readonly folder: string;
  /** The cluster's folder, by which its processes are marked. */
  readonly clusterDirectory: string;
  readonly podIP: string;
  readonly clock: Clock;
  readonly reaper: Reaper;
  /** Folders that commands are looked up in before `PATH`. */
  readonly podPath: readonly string[];
  /** What containers inherit: `PATH`, locale and time zone. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Whether we may change users. */
  readonly root: boolean;
  readonly keysOf: KeysOf;
  readonly claimFolder: (namespace: string, name: string) => Promise<string>;
  readonly tokenOf: TokenOf;
  readonly log: Logger;
  /** Where the API server is; undefined: containers do not know. */
  readonly apiServer: string | undefined;
  readonly serviceVariables: () => Readonly<Record<string, string>>;
  readonly onRemove: () => void;
}

/** How one container's commands are run. */
interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly rewrite: (text: string) => string;
  readonly messageFile: string;
  /** By which the processes of this instance are known. */
  readonly mark: string;
}

/** A {@link PodSandbox} of local processes. */
export class ProcessSandbox implements PodSandbox {
  readonly ip: string;
  #options: ProcessSandboxOptions;
  #tokens: MountedTokens;
  #volumes: Promise<Map<string, VolumeFolder>> | undefined;
  #surroundings = new Map<string, Surroundings>();
  #logs = new Map<string, ContainerLog[]>();
  #joinable = new Map<string, JoinableContainer>();

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
    this.#tokens = new MountedTokens(options);
    this.ip = options.podIP;
  }

  async start(container: Container, attempt: number, events: ContainerEvents): Promise<StartedContainer> {
    const { pod, clock, reaper } = this.#options;
    const surroundings = await this.#surround(container, attempt);
    const expand = (text: string): string => surroundings.rewrite(expandVariables(text, surroundings.env));
    const words = [...(container.command ?? []), ...(container.args ?? [])].map(expand);
    if (container.command === undefined || container.command.length === 0) {
      throw new ContainerStartError(
        "CreateContainerError",
        `container "${container.name}" has no command: a process pod does not know what image ${container.image} runs`,
        { remedy: "Give the container a `command`." },
      );
    }
    const spec = await this.#specOf(container, words, surroundings);
    const log = await this.#openLog(container.name, attempt);
    const joinable = new JoinableContainer(container);
    const onOutput = (stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void> | undefined => {
      log.write(stream, chunk);
      return joinable.show(stream, chunk);
    };
    try {
      const { messageFile, mark } = surroundings;
      const { input: stdin } = joinable;
      const running = await startProcess({ spec, clock, reaper, onOutput, messageFile, mark, stdin });
      this.#joinable.set(container.name, joinable);
      void running.exited.then(() => log.end());
      void running.exited.then(() => joinable.end());
      events.ready(true);
      return {
        id: `process://${pod.metadata.uid}/${container.name}/${attempt}/${running.pid}`,
        exited: running.exited,
        terminate: () => running.terminate(),
        kill: () => running.kill(),
        check: (action, signal) => this.#check(container, action, signal),
      };
    } catch (error) {
      log.end();
      throw error;
    }
  }

  /** The log of a container's newest instance, or of the one before it. */
  log(container: string, previous: boolean): ContainerLog | undefined {
    return this.#logs.get(container)?.at(previous ? -2 : -1);
  }

  /** Joins the newest instance of a container. Errors: `CONTAINER_NOT_STARTED`. */
  attach(container: Container, request: PodAttachRequest): Promise<void> {
    const joinable = this.#joinable.get(container.name);
    if (joinable !== undefined) return joinable.join(request);
    const error = new OperatorError(
      "CONTAINER_NOT_STARTED",
      `container "${container.name}" in pod "${this.#options.pod.metadata.name}" is waiting to start`,
      { remedy: "Look at the container's state in `kubectl describe pod`." },
    );
    return Promise.reject(error);
  }

  /** Runs a command beside a container that was started. */
  async exec(
    container: Container,
    request: Omit<PodExecRequest, "namespace" | "name">,
  ): Promise<PodExecResult> {
    const { clock, reaper } = this.#options;
    const surroundings = this.#surroundings.get(container.name) ?? (await this.#surround(container, 0));
    const spec = await this.#specOf(container, request.command.map(surroundings.rewrite), surroundings);
    const running = await startProcess({
      spec,
      clock,
      reaper,
      stdin: request.stdin,
      onOutput: (stream, chunk) =>
        stream === "stdout" ? request.onStdout?.(chunk) : request.onStderr?.(chunk),
    });
    const stop = (): void => running.kill();
    if (request.signal?.aborted === true) stop();
    request.signal?.addEventListener("abort", stop, { once: true });
    const { exitCode } = await running.exited;
    request.signal?.removeEventListener("abort", stop);
    return { exitCode };
  }

  async remove(): Promise<void> {
    this.#options.onRemove();
    this.#tokens.close();
    await rm(this.#options.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #check(container: Container, action: ContainerCheck, signal: AbortSignal): Promise<boolean> {
    if (action.httpGet !== undefined) return checkHttp(action.httpGet, container, this.ip, signal);
    if (action.tcpSocket !== undefined) return checkTcp(action.tcpSocket, container, this.ip, signal);
    // Whether the port is open is all that is asked of a gRPC service.
    if (action.grpc !== undefined) return checkTcp({ port: action.grpc.port }, container, this.ip, signal);
    const command = action.exec?.command ?? [];
    if (command.length === 0) return true;
    return (await this.exec(container, { command, signal })).exitCode === 0;
  }

  async #surround(container: Container, attempt: number): Promise<Surroundings> {
    const { pod, folder, podIP, keysOf, inherited, root, clusterDirectory, apiServer } = this.#options;
    const owner = ownerOf(pod.spec, container, root);
    const name = confinedPath(container.name, "the container's name");
    const home = join(folder, "containers", name);
    const messageFile = join(folder, "messages", name);
    for (const each of [dirname(home), dirname(messageFile)]) await makePassage(each, root);
    await mkdir(home, { recursive: true, mode: 0o700 });
    await giveFolder(home, owner);
    await pathWithin(home, "tmp", { what: "the folder", owner });
    await emptyFile(messageFile, owner);
    const base: Record<string, string> = {
      ...inherited,
      HOME: home,
      TMPDIR: join(home, "tmp"),
      HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
      ...(apiServer === undefined ? {} : serverVariables(apiServer)),
      ...(pod.spec.enableServiceLinks === false ? {} : this.#options.serviceVariables()),
    };
    const facts = { podIP, hostIP: "127.0.0.1" };
    const manifest = await containerEnvironment({ pod, container, facts, keysOf, base });
    const mounts: MountPath[] = [
      ...(await this.#mountsOf(container, manifest, owner)),
      {
        volume: "termination-log",
        path: container.terminationMessagePath ?? "/dev/termination-log",
        target: messageFile,
      },
    ];
    const rewrite = createMountRewriter(mounts);
    const access =
      apiServer === undefined ? {} : await accountAccess({ pod, url: apiServer, mounts, home, owner });
    const mark = `${pod.metadata.uid}/${container.name}/${attempt}`;
    const env = {
      ...access,
      ...Object.fromEntries(Object.entries(manifest).map(([name, value]) => [name, rewrite(value)])),
      ...mountVariables(mounts),
      [clusterMarker]: clusterDirectory,
      [containerMarker]: mark,
    };
    const cwd =
      container.workingDir === undefined
        ? home
        : await this.#workingFolder(container.workingDir, { home, mounts, owner });
    const surroundings = { env, cwd, rewrite, messageFile, mark };
    this.#surroundings.set(container.name, surroundings);
    return surroundings;
  }

  /** A `workingDir` below a mount is that folder, one of this machine is itself, any other is made in the container's home. */
  async #workingFolder(
    path: string,
    { home, mounts, owner }: { home: string; mounts: readonly MountPath[]; owner: ProcessOwner },
  ): Promise<string> {
    const what = "workingDir";
    const mount = mountOf(path, mounts);
    if (mount !== undefined)
      return pathWithin(mount.target, path.slice(mount.path.length + 1), { what, owner });
    if (isAbsolute(path) && (await exists(path))) return path;
    return pathWithin(home, path.replace(/^\/+/, ""), { what, owner });
  }

  async #mountsOf(
    container: Container,
    variables: Readonly<Record<string, string>>,
    owner: ProcessOwner,
  ): Promise<MountPath[]> {
    const { pod, folder, podIP, keysOf, claimFolder, root } = this.#options;
    await makePassage(join(folder, "volumes"), root);
    this.#volumes ??= makeVolumes({
      pod,
      folder: join(folder, "volumes"),
      facts: { podIP, hostIP: "127.0.0.1" },
      keysOf,
      tokens: this.#tokens,
      claimFolder,
    });
    let volumes: Map<string, VolumeFolder>;
    try {
      volumes = await this.#volumes;
    } catch (error) {
      // The source may be there at the next attempt.
      this.#volumes = undefined;
      throw error;
    }
    const mounts: MountPath[] = [];
    for (const mount of container.volumeMounts ?? []) {
      const volume = volumes.get(mount.name);
      if (volume === undefined) {
        throw new ContainerStartError(
          "CreateContainerConfigError",
          `volume "${mount.name}" is not in the pod`,
        );
      }
      const subPath = expandVariables(mount.subPathExpr ?? mount.subPath ?? "", variables);
      if (volume.owned) {
        const access = accessTo(mount.name, pod.spec, root);
        await giveFolder(volume.path, access.owner);
        await chmod(volume.path, access.mode);
      } else if (!(await exists(volume.path))) {
        await mkdir(volume.path, { recursive: true });
      }
      const target = await pathWithin(volume.path, subPath, { what: "subPath", owner });
      mounts.push({ volume: mount.name, path: mount.mountPath, target });
    }
    return mounts;
  }

  async #specOf(
    container: Container,
    [command = "", ...args]: readonly string[],
    { env, cwd }: Surroundings,
  ): Promise<ProcessSpec> {
    const { pod, podPath, root } = this.#options;
    const path = (env["PATH"] ?? "")
      .split(delimiter)
      .filter((each) => each !== "" && !podPath.includes(each));
    const folders = [...podPath, ...path];
    return {
      path: await findCommand(command, folders, cwd),
      argv0: command,
      args,
      env: { ...env, PATH: folders.join(delimiter) },
      cwd,
      ...ownerOf(pod.spec, container, root),
    };
  }

  async #openLog(container: string, attempt: number): Promise<ContainerLog> {
    const { folder, clock } = this.#options;
    const file = join(folder, "logs", `${container}.${attempt}.log`);
    await mkdir(dirname(file), { recursive: true });
    const logs = [...(this.#logs.get(container) ?? []), new ContainerLog(file, clock)];
    await chmod(file, 0o640);
    for (const old of logs.splice(0, Math.max(0, logs.length - 2))) await rm(old.file, { force: true });
    this.#logs.set(container, logs);
    return logs.at(-1) ?? new ContainerLog(file, clock);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // Not there.
    return false;
  }
}
