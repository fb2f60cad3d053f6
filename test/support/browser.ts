// Declares suites that need a real browser; without Debian's chromium they are skipped, and their name says why.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const executable = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Opens a page of its own; everything that goes wrong in it is in `problems`. */
export type OpenPage = (options?: {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}) => Promise<OpenedPage>;

/** A page under test. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts and of the console, and requests that left this machine. */
  readonly problems: string[];
}

/** A browser that runs. */
export interface RunningBrowser {
  readonly open: OpenPage;
  close(): Promise<void>;
}

/** Why there is no browser; undefined when there is one. */
export const whyNoBrowser: string | undefined = existsSync(executable)
  ? undefined
  : `${executable} is not installed`;

/** Starts it. */
export async function startBrowser(): Promise<RunningBrowser> {
  // The sandbox of chromium refuses to start for root.
  const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
  return {
    async open({ width = 1280, height = 800, dark = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? "dark" : "light",
        reducedMotion: "reduce",
      });
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      const problems: string[] = [];
      const watch = (each: Page): void => {
        each.on("pageerror", (error) => problems.push(error.message));
        each.on("console", (message) => {
          if (message.type() === "error") problems.push(message.text());
        });
      };
      watch(page);
      context.on("page", watch);
      context.on("request", (request) => {
        const { hostname, protocol } = new URL(request.url());
        const local = ["127.0.0.1", "localhost"].includes(hostname) || ["data:", "blob:"].includes(protocol);
        if (!local) problems.push(`request to ${request.url()}`);
      });
      return { page, problems };
    },
    close: () => browser.close(),
  };
}

/** Declares a suite `… in a browser`. */
export function describeInBrowser(name: string, suite: (open: OpenPage) => void): void {
  const reason = whyNoBrowser === undefined ? "" : ` (skipped: ${whyNoBrowser})`;
  describe.skipIf(whyNoBrowser !== undefined)(`${name} in a browser${reason}`, () => {
    let browser: RunningBrowser | undefined;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser?.close());
    suite((options) => {
      if (browser === undefined) throw new Error("the browser has not started");
      return browser.open(options);
    });
  });
}

/** What axe finds wrong in the page and its frames, as lines. */
export async function audit(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, so that the page's own policy stays in force.
  for (const frame of page.frames()) await frame.evaluate(readFileSync(axe, "utf8"));
  const { violations } = await page.evaluate<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  }>("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
