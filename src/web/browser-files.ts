// What pages load: modules and styles of a folder of ours, and the few packages that those modules import. In a checkout the
// modules are TypeScript and lose their types on the way to the browser; in the published package they are JavaScript.
import { readFile } from "node:fs/promises";
import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { styleSheet } from "../diagram/palette.ts";
import { ownFolder, ownSuffix } from "../ports/own-folder.ts";
import { packedParts } from "../ports/packed-parts.ts";
import { pagePackages } from "./import-map.ts";
import type { WebAnswer } from "./web-answer.ts";

const css = "text/css; charset=utf-8";
const javascript = "text/javascript; charset=utf-8";
const contentTypes: Readonly<Record<string, string>> = {
  css,
  js: javascript,
  ts: javascript,
  svg: "image/svg+xml",
};

const packed = packedParts();

/** Suffix of modules, wherever this runs. */
const suffix = packed?.suffix ?? ownSuffix;

/** Modules and styles that every page loads, as paths below `src`, without suffix. */
const ofEveryPage: readonly string[] = [
  "diagram/browser/lit-drawing",
  "web/browser/drawing-frame",
  "web/browser/page",
];

/** Files of the folder `browser` of a layer; names have no dots but the one of their suffix. */
export class BrowserFiles {
  readonly #folder: string;
  readonly #shared: readonly string[];

  /**
   * @param layer The layer's folder below `src`; it has a folder `browser`.
   * @param shared Modules of other folders that those of the folder import, as paths below `src`, without suffix; they need
   *   nothing but each other and the packages.
   */
  constructor(layer: string, shared: readonly string[] = []) {
    this.#folder = `${layer}/browser`;
    this.#shared = [...ofEveryPage, ...shared];
  }

  /** The address of a module of the folder, for a page. */
  module(name: string): string {
    return `files/${name}.${suffix}`;
  }

  /** Answers requests below `/files/` and `/packages/`, and for what is shared; undefined for others, and for what is not there. */
  async answer(path: string): Promise<WebAnswer | undefined> {
    if (path === "/diagram.css") return { status: 200, contentType: css, body: styleSheet("auto") };
    const [, file, type = ""] = /^\/files\/([a-z0-9/-]+\.(css|js|ts|svg))$/.exec(path) ?? [];
    if (file !== undefined) return readAnswer(`${this.#folder}/${file}`, type);
    // `../../layer/module` of a module below `/files/` is `/layer/module` for a browser.
    const [, shared = "", kind = ""] = /^\/([a-z/-]+)\.(css|js|ts)$/.exec(path) ?? [];
    if (this.#shared.includes(shared)) {
      return readAnswer(`${shared}.${kind}`, kind);
    }
    const name = path.replace(/^\/packages\//, "").replace(/\.js$/, "");
    if (!path.startsWith("/packages/") || !pagePackages.includes(name)) return undefined;
    return answerWith(await packageText(name), "js");
  }
}

async function readAnswer(path: string, type: string): Promise<WebAnswer | undefined> {
  return answerWith(await pageText(path), type);
}

function answerWith(body: string | undefined, type: string): WebAnswer | undefined {
  return body === undefined
    ? undefined
    : { status: 200, contentType: contentTypes[type] ?? "application/octet-stream", body };
}

/** A file for pages, by its path below `src`; a module has lost its types. */
async function pageText(path: string): Promise<string | undefined> {
  if (packed !== undefined) return packed.pages[path];
  const text = await textOf(new URL(path, ownFolder));
  return text !== undefined && path.endsWith(".ts") ? module.stripTypeScriptTypes(text) : text;
}

async function packageText(name: string): Promise<string | undefined> {
  return packed === undefined ? textOf(import.meta.resolve(name)) : packed.packages[name];
}

async function textOf(url: URL | string): Promise<string | undefined> {
  try {
    return await readFile(fileURLToPath(url), "utf8");
  } catch {
    return undefined;
  }
}
