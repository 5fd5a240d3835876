"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { candidates, chosen } = require("../src/server");

const place = { folders: ["/p"], trusted: true, home: "/h", platform: "linux" };

test("what a person sets is what runs", () => {
  assert.deepStrictEqual(candidates({ ...place, configured: "~/bin/ranklint" }), ["/h/bin/ranklint"]);
  assert.deepStrictEqual(candidates({ ...place, configured: "${workspaceFolder}/r" }), ["/p/r"]);
});

test("the interpreter's neighbour comes before the workspace and the PATH", () => {
  const list = candidates({ ...place, interpreter: "/env/bin/python" });
  assert.strictEqual(list[0], "/env/bin/ranklint");
  assert.strictEqual(list.at(-1), "ranklint");
  assert.strictEqual(chosen(list, (file) => file === "/p/.venv/bin/ranklint"), "/p/.venv/bin/ranklint");
  assert.strictEqual(chosen(list, () => false), "ranklint");
});

test("nothing of an untrusted workspace is run", () => {
  assert.deepStrictEqual(candidates({ ...place, trusted: false, configured: "/p/evil" }), ["ranklint"]);
});
