// How a bundled file gets at Node's own modules. Pure.

/**
 * A chunk's first lines with `import … from "node:…"` in another form: an import of one of Node's modules reads everything that the
 * module has, such as the WebSocket of node:http, which loads all of fetch.
 */
export function readBuiltins(code: string): string {
  // Above everything else; further down are texts that only look like it.
  const [head = ""] = /^(?:import .*\n)*/.exec(code) ?? [];
  const imports = head.replaceAll(
    /^import (.*?) from "(node:.*)";$/gm,
    (_line, names: string, module: string) => readBuiltin(names, module),
  );
  return `${imports}${code.slice(head.length)}`;
}

function readBuiltin(names: string, module: string): string {
  const value = `process.getBuiltinModule("${module}")`;
  const [, whole] = /^(?:\* as )?([\w$]+)$/.exec(names) ?? [];
  if (whole !== undefined) return `const ${whole} = ${value};`;
  const [, single, several = ""] = /^(?:([\w$]+), )?\{(.*)\}$/.exec(names) ?? [];
  const named = several.replaceAll(" as ", ": ");
  return `const ${single === undefined ? "" : `${single} = ${value}, `}{${named}} = ${value};`;
}
