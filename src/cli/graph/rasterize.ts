// From SVG to PNG, by packages that few people need: they are looked for when the first picture is asked for.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Resvg } from "@resvg/resvg-js";
import { OperatorError } from "../../ports/operator-error.ts";

/** Pixels on a side that no picture exceeds. */
const longestSide = 16_384;

/**
 * The picture of an SVG text with a size, `scale` pixels for each of its own.
 *
 * **Guarantees**: the font is the one of the package, so that the picture is the same on every machine; only what it has no
 * glyph for is looked for in the fonts of the system. A picture that would be too large is made smaller.
 * **Errors**: `PNG_UNAVAILABLE` when the packages are not installed, or not for this machine.
 */
export async function rasterize(svg: string, scale: number): Promise<Uint8Array> {
  const { Resvg: Renderer } = await load();
  const size = new Renderer(svg, { font: { loadSystemFonts: false } });
  const most = longestSide / Math.max(size.width, size.height);
  const image = new Renderer(svg, {
    fitTo: { mode: "zoom", value: Math.min(scale, most) },
    font: {
      fontFiles: fontFiles(),
      // Beyond the scripts of the package's font.
      loadSystemFonts: /[\u1100-\u{10FFFF}]/u.test(svg.replaceAll(/[\u2000-\u2BFF]/g, "")),
      defaultFontFamily: "DejaVu Sans",
      sansSerifFamily: "DejaVu Sans",
    },
  });
  return image.render().asPng();
}

async function load(): Promise<{ readonly Resvg: typeof Resvg }> {
  try {
    return await import("@resvg/resvg-js");
  } catch (error: unknown) {
    throw unavailable(error);
  }
}

function fontFiles(): string[] {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("dejavu-fonts-ttf/package.json"));
    return ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) => join(folder, "ttf", file));
  } catch (error: unknown) {
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): OperatorError {
  return new OperatorError("PNG_UNAVAILABLE", "PNG output needs two packages that are not installed", {
    cause,
    remedy:
      "Install them (npm install @resvg/resvg-js dejavu-fonts-ttf), or use --output svg, which every browser can display.",
  });
}
