// The tour as `npm start -- --exit` runs it: cluster, operator process, PostgreSQL, kill -9, restore, end. A browser, if
// there is one, follows it on the dashboard. With SCREENSHOTS=FOLDER pictures are kept there.
import { existsSync, globSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runTour } from "../../../examples/database/src/tour/main.ts";
import { startBrowser, whyNoBrowser } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";

const pictures = process.env["SCREENSHOTS"];

/** Command lines of this machine's processes; empty where there is no /proc. */
const commandLines = (): string[] =>
  globSync("/proc/[0-9]*/cmdline").flatMap((file) => {
    try {
      return readFileSync(file, "utf8").replaceAll("\u0000", " ");
    } catch {
      return []; // It has ended meanwhile.
    }
  });

/** Notes every state that is lit, and every word of the connection, in the page itself. */
const watcher = `
globalThis.seen = [];
const note = (what) => { if (what && globalThis.seen.at(-1) !== what) globalThis.seen.push(what); };
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".drawing g.leaf")) note(box.dataset.path);
  if (document.querySelector(".connection.lost")) note("(lost)");
}).observe(document.body, { subtree: true, childList: true, attributes: true });
`;

/** What the dashboard has shown of a tour, and what went wrong in its page. */
interface Shown {
  readonly seen: readonly string[];
  readonly problems: readonly string[];
}

/** Follows a tour in a browser to its end. */
async function follow(address: Promise<string>, tour: Promise<unknown>): Promise<Shown> {
  const browser = await startBrowser();
  try {
    const { page, problems } = await browser.open({ height: 1_000 });
    const url = await address;
    // The page is served a moment after its address is known.
    await eventually(async () => {
      await page.goto(url);
      await page.locator("header").waitFor();
    });
    await page.evaluate(watcher);
    if (pictures !== undefined) {
      await page.locator('.drawing g.leaf[data-path="Servicing"]').waitFor({ timeout: 60_000 });
      await page.locator("progress").waitFor({ timeout: 30_000 });
      await keepPictures(page, pictures);
    }
    await tour;
    return { seen: await page.evaluate<string[]>("globalThis.seen"), problems };
  } finally {
    await browser.close();
  }
}

describe("the tour", () => {
  let code = -1;
  let text = "";
  let shown: Promise<Shown>;

  beforeAll(async () => {
    const address = Promise.withResolvers<string>();
    address.promise.catch(() => undefined);
    const tour = runTour({
      exit: true,
      color: false,
      output: {
        write: (more) => {
          text += more;
          const [, url] = /see it in a browser: (\S+)/.exec(more) ?? [];
          if (url !== undefined) address.resolve(url);
        },
      },
      signal: new AbortController().signal,
    });
    const ended = tour.then(() => address.reject(new Error(`the tour has shown no address:\n${text}`)));
    shown =
      whyNoBrowser === undefined ? follow(address.promise, ended) : Promise.reject(new Error(whyNoBrowser));
    // Whether it has failed is what its own test says.
    await shown.catch(() => undefined);
    code = await tour;
  }, 240_000);

  it("drives a real database through its whole life and leaves nothing behind", () => {
    expect(text).not.toContain("has failed");
    expect(code, text).toBe(0);
    const path = "Running -> Servicing -> Running -> Reconfiguring -> Running -> Servicing -> Running";
    expect(text).toContain(`the path: Start -> ${path} -> Stopping -> End\n`);
    expect(text).toContain("spec.maxConnections cannot be changed in Servicing, only in Start, Running");
    expect(text).toContain("wait until it is done, or send abort");
    expect(text).toContain("because abort was requested");
    expect(text).toMatch(/event +TaskCompensated: /);
    expect(text).toContain("PostgreSQL itself: max_connections is 80\n");
    expect(text).toContain("PostgreSQL itself: work_mem is 16MB\n");
    expect(text).toContain('the row that the restored backup gave: {"id":3,"customer":"Grace"}\n');
    expect(text).toContain("one request, one backup");
    expect(text).toMatch(/progress.*streaming database files/);
    expect(text).not.toContain("\u001B");

    const folder = /everything of it is in (\S+)/.exec(text)?.[1] ?? "";
    expect(folder).toContain("xstate-operator-");
    expect(existsSync(folder)).toBe(false);
    expect(commandLines().filter((line) => line.includes(folder))).toEqual([]);
  });

  const reason = whyNoBrowser === undefined ? "" : ` (skipped: ${whyNoBrowser})`;
  it.skipIf(whyNoBrowser !== undefined)(
    `is followed on the dashboard in a browser, through a kill of the operator${reason}`,
    async () => {
      const { seen, problems } = await shown;
      expect(seen).toEqual(
        expect.arrayContaining(["Running", "Servicing", "Reconfiguring", "(lost)", "Stopping"]),
      );
      // It came back after it was lost.
      expect(seen.slice(seen.indexOf("(lost)") + 1)).toContain("Running");
      // The operator is killed while the page looks; a browser reports that as a failed request.
      const expected = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/;
      expect(problems.filter((problem) => !expected.test(problem))).toEqual([]);
    },
  );

  it("ends in order when it is interrupted", { timeout: 60_000 }, async () => {
    const interrupt = new AbortController();
    const written: string[] = [];
    const write = (text: string): void => {
      written.push(text);
      if (text.includes("A Database is requested")) interrupt.abort();
    };
    const code = await runTour({ exit: true, color: false, output: { write }, signal: interrupt.signal });
    const text = written.join("");
    expect(code, text).toBe(130);
    expect(text).toContain("The tour was interrupted.");
    const folder = /everything of it is in (\S+)/.exec(text)?.[1] ?? "";
    expect(existsSync(folder)).toBe(false);
    expect(commandLines().filter((line) => line.includes(folder))).toEqual([]);
  });
});

/** What a desktop, a tablet and a phone show, in light and in dark. */
async function keepPictures(page: Page, folder: string): Promise<void> {
  const resource = page.url();
  const screens = [
    ["desktop", 1_440, 900, "light"],
    ["desktop-dark", 1_440, 900, "dark"],
    ["tablet", 820, 1_180, "light"],
    ["phone", 390, 844, "dark"],
  ] as const;
  for (const [name, width, height, colorScheme] of screens) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    if (name === "phone") await page.locator(".drawing g.leaf").scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${folder}/dashboard-${name}.png` });
  }
  const board = await page.context().newPage();
  await board.setViewportSize({ width: 390, height: 844 });
  await board.goto(resource.replace(/#.*/, "#/"));
  await board.locator(".rows .row").first().waitFor();
  await board.locator(".operator summary").click();
  await board.screenshot({ path: `${folder}/dashboard-phone-board.png` });
  await board.close();
}
