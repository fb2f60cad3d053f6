#!/usr/bin/env node
// Starts the command line on a Node that can run it.
// Kept in syntax that Node 12 parses, so that an old Node gets a sentence and not a syntax error.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { spawn } from "node:child_process";

var root = dirname(dirname(fileURLToPath(import.meta.url)));
var needed = [22, 19];

function isNewEnough(version) {
  var parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > needed[0] || (parts[0] === needed[0] && parts[1] >= needed[1]);
}

// A checkout carries its own Node as a development dependency; a published package does not.
var bundled = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
var node = isNewEnough(process.version) ? process.execPath : existsSync(bundled) ? bundled : undefined;

if (node === undefined) {
  var name = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).name;
  process.stderr.write(
    name +
      " needs Node " +
      needed.join(".") +
      " or newer, but this is Node " +
      process.version +
      " (" +
      process.execPath +
      ").\n" +
      "Install a newer Node, or run it as: npx --package=node@24 --package=" +
      name +
      " " +
      name +
      "\n",
  );
  process.exitCode = 1;
} else {
  var source = join(root, "src", "cli", "main.ts");
  var inCheckout = existsSync(source);
  var main = inCheckout ? source : join(root, "dist", "src", "cli", "main.js");
  var flags = inCheckout ? ["--conditions=xstate-operator-source"] : [];
  // What a run needs lives until it ends: the larger the nursery, the fewer runs it is emptied in (bench/, W1 with a lifecycle).
  if (!/semi.space/.test(process.env.NODE_OPTIONS || "")) {
    flags.push("--min-semi-space-size=16", "--max-semi-space-size=16");
  }
  // Threads that help to empty it mostly wait for each other.
  flags.push("--no-parallel-scavenge");
  // Of the C library's heaps each thread has its own, none of which is ever given back: a tenth of the memory of a busy operator.
  if (!process.env.MALLOC_ARENA_MAX) process.env.MALLOC_ARENA_MAX = "1";
  var args = [
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
  ].concat(flags, [main], process.argv.slice(2));
  // Code that is compiled once is kept, in a folder that only this user writes to: half of what a start costs is compiling.
  if (!process.env.NODE_COMPILE_CACHE) {
    var caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
    process.env.NODE_COMPILE_CACHE = join(caches, "xstate-operator", "compiled");
  }
  // Replacing this process leaves nobody in between who could keep a signal to himself.
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.removeAllListeners("warning");
    process.execve(node, [node].concat(args), process.env);
  }
  var child = spawn(node, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // A signal sent to this process alone is passed on; the child takes no harm from one that it has got already.
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  // Between npm and this process is a shell, which a signal ends without passing it on.
  var starter = process.ppid;
  if (process.env.npm_lifecycle_event || process.env.npm_command) {
    var looks = setInterval(function () {
      if (process.ppid === starter) return;
      clearInterval(looks);
      child.kill("SIGTERM");
    }, 500);
    looks.unref();
  }
  child.on("error", function (error) {
    process.stderr.write("cannot start " + node + ": " + error.message + "\n");
    process.exitCode = 1;
  });
  child.on("exit", function (code, signal) {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exitCode = code === null ? 1 : code;
  });
}
