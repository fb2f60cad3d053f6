// The steps of a Dockerfile, done in folders of this machine: where there is no builder of images, what a builder would do.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** What an image would be started with. */
export interface BuiltByHand {
  /** Its files. */
  readonly folder: string;
  readonly entrypoint: readonly string[];
  readonly user: string;
}

interface Stage {
  readonly name: string;
  directory: string;
  user: string;
  entrypoint: readonly string[];
}

/**
 * Does the steps of `Dockerfile` in `context`. `/folder` of a stage is `<stage>-folder` beside the context, so that what the
 * context names beside itself is there too. `run` does what RUN says.
 */
export function buildByHand(context: string, run: (command: string, cwd: string) => void): BuiltByHand {
  const ignored = readFileSync(join(context, ".dockerignore"), "utf8").trim().split("\n");
  const stages: Stage[] = [];
  const placeOf = (stage: Stage, path: string): string => {
    const absolute = path.startsWith("/") ? path : join(stage.directory, path);
    return join(dirname(context), `${stage.name}-${absolute.slice(1)}`);
  };
  for (const [, instruction = "", rest = ""] of readFileSync(join(context, "Dockerfile"), "utf8").matchAll(
    /^([A-Z]+) (.*)$/gm,
  )) {
    if (instruction === "FROM") {
      const name = / AS (\S+)$/.exec(rest)?.[1] ?? "final";
      stages.push({ name, directory: "/", user: "root", entrypoint: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${instruction} before FROM`);
    if (instruction === "WORKDIR") {
      stage.directory = rest;
      mkdirSync(placeOf(stage, rest), { recursive: true });
    } else if (instruction === "USER") stage.user = rest;
    else if (instruction === "ENTRYPOINT") stage.entrypoint = JSON.parse(rest) as readonly string[];
    else if (instruction === "RUN") run(rest.startsWith("[") ? commandHere(rest) : rest, placeOf(stage, "."));
    else if (instruction === "COPY") copy(rest, stage);
    else if (instruction !== "ENV") throw new Error(`no step by hand for ${instruction}`);
  }
  const last = stages.at(-1);
  if (last === undefined) throw new Error("no stages");
  return { folder: placeOf(last, "."), entrypoint: last.entrypoint.map(pathHere), user: last.user };

  function copy(rest: string, stage: Stage): void {
    const words = rest.split(" ");
    const from = stages.find(({ name }) => `--from=${name}` === words[0]);
    const named = from === undefined ? words : words.slice(1);
    const to = placeOf(stage, named.at(-1) ?? "");
    for (const source of named.slice(0, -1)) {
      if (from === undefined && ignored.includes(source)) throw new Error(`${source} is ignored`);
      const path = from === undefined ? join(context, source) : placeOf(from, source);
      if (!existsSync(path)) throw new Error(`COPY ${source}: there is no such file`);
      // Of a folder what is in it, as a builder does.
      const target = statSync(path).isDirectory() ? to : join(to, source);
      cpSync(path, target, { recursive: true });
    }
  }

  function commandHere(list: string): string {
    const words = (JSON.parse(list) as readonly string[]).map(pathHere);
    return words.map((word) => (word === "/nodejs/bin/node" ? "node" : `'${word}'`)).join(" ");
  }

  function pathHere(word: string): string {
    const stage = stages.at(-1);
    return word.startsWith("/") && stage !== undefined && !word.startsWith("/nodejs/")
      ? placeOf(stage, word)
      : word;
  }
}

/** Bytes of all files below a folder. */
export function bytesIn(folder: string): number {
  return globSync("**/*", { cwd: folder, exclude: (name) => name === ".git" })
    .map((file) => statSync(join(folder, file)))
    .filter((file) => file.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}
