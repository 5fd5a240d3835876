"use strict";
// Starts `ranklint server` and connects it with the editor. Everything about findings is the server's.

const os = require("node:os");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { candidates, chosen } = require("./server");

/** @type {LanguageClient | undefined} */
let client;
/** @type {vscode.OutputChannel} */
let output;

/** The interpreter that the Python extension has selected, where that extension is there. */
async function selectedInterpreter() {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (!python) {
    return undefined;
  }
  try {
    const api = await python.activate();
    const selected = api?.environments?.getActiveEnvironmentPath?.();
    const resolved = selected && (await api.environments.resolveEnvironment(selected));
    return resolved?.executable?.uri?.fsPath;
  } catch {
    return undefined;
  }
}

async function serverPath() {
  const settings = vscode.workspace.getConfiguration("ranklint");
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const interpreter = settings.get("interpreter") || (await selectedInterpreter());
  return chosen(
    candidates({
      configured: settings.get("path"),
      interpreter,
      folders,
      trusted: vscode.workspace.isTrusted,
      home: os.homedir(),
      platform: process.platform,
    }),
  );
}

function wishes() {
  const settings = vscode.workspace.getConfiguration("ranklint");
  return { codeLens: settings.get("codeLens"), workspaceDiagnostics: settings.get("workspaceDiagnostics") };
}

async function start() {
  if (!vscode.workspace.getConfiguration("ranklint").get("enable")) {
    return;
  }
  const command = await serverPath();
  output.appendLine(`starting ${command}`);
  const run = { command, args: ["server"], transport: TransportKind.stdio };
  client = new LanguageClient(
    "ranklint",
    "ranklint",
    { run, debug: run },
    {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
        { scheme: "vscode-notebook-cell", language: "python" },
        { scheme: "file", language: "shellscript" },
      ],
      initializationOptions: wishes(),
      outputChannel: output,
      synchronize: { configurationSection: "ranklint" },
      middleware: {
        executeCommand: async (command, args, next) => {
          // A trace is read better in an editor than in a message.
          if (command === "ranklint.showTrace" && typeof args[0] === "string") {
            const document = await vscode.workspace.openTextDocument({ content: args[0] });
            await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
            return undefined;
          }
          return next(command, args);
        },
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const choice = await vscode.window.showErrorMessage(
      `ranklint: the server \`${command}\` could not be started: ${error?.message ?? error}. Install it with \`pip install ranklint\`, or set \`ranklint.path\`.`,
      "Open settings",
    );
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "ranklint.path");
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop().catch(() => undefined);
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  output = vscode.window.createOutputChannel("ranklint");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("ranklint.restart", restart),
    vscode.commands.registerCommand("ranklint.showOutput", () => output.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const again = ["enable", "path", "interpreter", "codeLens", "workspaceDiagnostics"];
      if (again.some((key) => event.affectsConfiguration(`ranklint.${key}`))) {
        return restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
