// The tour followed in a browser: the whole life of the database, the operator's death and return included.
// With SCREENSHOTS=FOLDER pictures are kept there.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { runTour } from "../../../examples/database/tour/main.ts";
import { describeInBrowser } from "../../support/browser.ts";

const pictures = process.env["SCREENSHOTS"];

/** Notes every state that is lit, and every word of the connection, in the page itself. */
const watcher = `
globalThis.seen = [];
const note = (what) => { if (what && globalThis.seen.at(-1) !== what) globalThis.seen.push(what); };
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".drawing g.leaf")) note(box.dataset.path);
  if (document.querySelector(".connection.lost")) note("(lost)");
}).observe(document.body, { subtree: true, childList: true, attributes: true });
`;

describeInBrowser("the tour", (open) => {
  it("is followed on the dashboard, through a kill of the operator", { timeout: 150_000 }, async () => {
    const { page, problems } = await open({ height: 1_000 });
    const address = Promise.withResolvers<string>();
    const written: string[] = [];
    const tour = runTour({
      exit: true,
      color: false,
      output: {
        write: (text) => {
          written.push(text);
          const [, url] = /see it in a browser: (\S+)/.exec(text) ?? [];
          if (url !== undefined) address.resolve(url);
        },
      },
      signal: new AbortController().signal,
    });
    await openWhenThere(page, await address.promise);
    await page.evaluate(watcher);
    if (pictures !== undefined) {
      await page.locator('.drawing g.leaf[data-path="Servicing"]').waitFor({ timeout: 60_000 });
      await page.locator("progress").waitFor({ timeout: 30_000 });
      await keepPictures(page, pictures);
    }
    expect(await tour, written.join("")).toBe(0);
    const seen = await page.evaluate<string[]>("globalThis.seen");
    expect(seen).toEqual(
      expect.arrayContaining(["Running", "Servicing", "Reconfiguring", "(lost)", "Stopping"]),
    );
    // It came back after it was lost.
    expect(seen.slice(seen.indexOf("(lost)") + 1)).toContain("Running");
    // The operator is killed while the page looks; a browser reports that as a failed request.
    expect(problems.filter((problem) => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(problem))).toEqual(
      [],
    );
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

/** The page is served a moment after its address is known. */
async function openWhenThere(page: Page, url: string): Promise<void> {
  for (const deadline = performance.now() + 20_000; ;) {
    try {
      await page.goto(url);
      await page.locator("header").waitFor();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
