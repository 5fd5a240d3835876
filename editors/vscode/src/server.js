"use strict";
// Where the server is: a list of candidates, the first that exists wins. Knows nothing of VS Code, so that it can be tested.

const fs = require("node:fs");
const path = require("node:path");

/** The name of the program on this system. */
function programName(platform = process.platform) {
  return platform === "win32" ? "ranklint.exe" : "ranklint";
}

/** `~` and `${workspaceFolder}` at the beginning of a path a person wrote. */
function expanded(text, folder, home) {
  if (text === "~" || text.startsWith("~/")) {
    return path.join(home, text.slice(1));
  }
  return text.replaceAll("${workspaceFolder}", folder ?? "");
}

/**
 * The paths at which the server may be, the best first. The last is a bare name: the system looks it up on the PATH.
 * What lies in the workspace is not run before the workspace is trusted.
 */
function candidates({ configured, interpreter, folders, trusted, home, platform }) {
  const name = programName(platform);
  const scripts = platform === "win32" ? "Scripts" : "bin";
  const out = [];
  if (trusted && configured) {
    return [expanded(configured, folders[0], home)];
  }
  if (trusted && interpreter) {
    const beside = path.dirname(expanded(interpreter, folders[0], home));
    out.push(path.join(beside, name), path.join(beside, scripts, name));
  }
  if (trusted) {
    for (const folder of folders) {
      for (const environment of [".venv", "venv"]) {
        out.push(path.join(folder, environment, scripts, name));
      }
    }
  }
  out.push(name);
  return out;
}

/** The first candidate that is there; a bare name counts as there. */
function chosen(list, exists = (file) => fs.existsSync(file)) {
  return list.find((candidate) => !candidate.includes(path.sep) || exists(candidate)) ?? list[list.length - 1];
}

module.exports = { candidates, chosen, programName };
