// Opens a file in code-server with the extension installed, and prints what the problems list shows.
//
//   code-server --auth none --bind-addr 127.0.0.1:8765 --install-extension ranklint.vsix   (once, then without the last option)
//   npm install puppeteer-core
//   node tests/editor/vscode.js BROWSER http://127.0.0.1:8765 FOLDER FILE PICTURE
//
// Not part of the test suite: code-server builds native modules. It was seen with code-server 4.100.3 on Node 20.
"use strict";

const puppeteer = require("puppeteer-core");

const [browser, address, folder, file, picture] = process.argv.slice(2);
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

async function main() {
  const opened = await puppeteer.launch({ executablePath: browser, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await opened.newPage();
    await page.setViewport({ width: 1300, height: 850 });
    const place = `vscode-remote://${new URL(address).host}${folder}/${file}`;
    const payload = encodeURIComponent(JSON.stringify([["openFile", place]]));
    await page.goto(`${address}/?folder=${folder}&payload=${payload}`, { timeout: 90000 });
    await page.waitForSelector(".monaco-editor .view-line", { timeout: 90000 });
    await page.waitForSelector(".squiggly-error", { timeout: 60000 });
    await page.keyboard.down("Control");
    await page.keyboard.down("Shift");
    await page.keyboard.press("m");
    await page.keyboard.up("Shift");
    await page.keyboard.up("Control");
    await pause(3);
    await page.screenshot({ path: picture });
    const rows = await page.$$eval(".markers-panel .monaco-list-row", (all) => all.map((row) => row.textContent));
    console.log(rows.join("\n"));
    if (rows.length === 0) throw new Error("the problems list is empty");
  } finally {
    await opened.close();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
