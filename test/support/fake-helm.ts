// A program that is called like `helm template`, for tests: it fills in values and the release's name, and says what is wrong in
// Helm's words. Each call adds a line to `calls` beside it.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const program = `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const args = process.argv.slice(2);
const [name, chart] = args.slice(args.indexOf("--") + 1);
const at = args.indexOf("--namespace");
const namespace = at < 0 ? "default" : args[at + 1];
fs.appendFileSync(path.join(path.dirname(process.argv[1]), "calls"), args.slice(0, args.indexOf("--")).join(" ") + " " + name + "\\n");
const Values = JSON.parse(fs.readFileSync(0, "utf8"));
const templates = path.join(chart, "templates");
for (const file of fs.readdirSync(templates).sort()) {
  const lines = fs.readFileSync(path.join(templates, file), "utf8").split("\\n");
  const condition = /^{{ if .Values.(\\w+) }}$/.exec(lines[0]);
  if (condition && !Values[condition[1]]) continue;
  const out = (condition ? lines.slice(1) : lines).map((line, index) => line.replaceAll(/{{ ([^}]*) }}/g, (_, word) => {
    if (word === ".Release.Name") return name;
    if (word === ".Release.Namespace") return namespace;
    if (word === "randAlphaNum 8") return Math.random().toString(36).slice(2);
    if (word === "forever") for (;;);
    if (word === "much") return "x".repeat(40e6);
    const value = Values[word.replace(".Values.", "")];
    if (value !== undefined) return JSON.stringify(value);
    const place = "web/templates/" + file + ":" + (index + 1) + ":14";
    process.stderr.write("Error: template: " + place + ': executing "' + file + '" at <' + word + ">: nil pointer\\n\\nUse --debug flag to render out invalid YAML\\n");
    process.exit(1);
  }));
  process.stdout.write("---\\n# Source: web/templates/" + file + "\\n" + out.join("\\n") + "\\n");
}
`;

/** Makes the program in a folder, and says where it is. */
export function makeFakeHelm(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "helm");
  writeFileSync(file, program);
  chmodSync(file, 0o755);
  return file;
}

/** The calls of a program so far. */
export function callsOf(program: string): readonly string[] {
  const file = join(dirname(program), "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Makes a chart of templates by their names. */
export function makeChart(folder: string, templates: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, "templates"), { recursive: true });
  writeFileSync(join(folder, "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n");
  for (const [name, text] of Object.entries(templates)) writeFileSync(join(folder, "templates", name), text);
}
