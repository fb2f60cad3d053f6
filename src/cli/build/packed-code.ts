// What few starts of a built operator need stands in its file as compressed text: it is neither parsed nor kept as code before it
// is used. Pure.
import { brotliCompressSync, constants } from "node:zlib";

/** A module whose exports are those of a CommonJS text, which is unpacked and evaluated when the module is. */
export function evaluatedWhenUsed(commonJs: string, names: readonly string[] = []): string {
  return `const module = { exports: {} };
new Function("module", "exports", "require", ${unpacked(commonJs)})(module, module.exports, process.getBuiltinModule);
export default module.exports;
${names.length === 0 ? "" : `export const { ${names.join(", ")} } = module.exports;\n`}`;
}

/** An expression that is the text. */
export function unpacked(text: string): string {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const packed = brotliCompressSync(text, { params }).toString("base64");
  return `process.getBuiltinModule("node:zlib").brotliDecompressSync(Buffer.from("${packed}", "base64")).toString()`;
}
