// Takes a long run as a protocol task (extension io.modelcontextprotocol/tasks)
// over plain HTTP: the call is answered at once, and asking brings the report.
import assert from "node:assert/strict";

const extension = "io.modelcontextprotocol/tasks";

async function ask(method, name, params) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "task", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { [extension]: {} } },
  };
  const response = await fetch(process.env.URL, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const { result, error } = await response.json();
  assert(result, JSON.stringify(error));
  return result;
}

const began = Date.now();
let task = await ask("tools/call", "deep_research", {
  name: "deep_research",
  arguments: { question: "How tall is the tower of Tarn?", effort: "quick", fresh: true },
});
assert.equal(task.resultType, "task", "a run that takes seconds is no task");
assert(Date.now() - began < 3000, "the task took long to begin");
const { taskId } = task;
while (task.status === "working") {
  await new Promise((resolve) => setTimeout(resolve, 300));
  task = await ask("tasks/get", taskId, { taskId });
}
assert.equal(task.status, "completed");
assert.match(task.result.content[0].text, /tower of Tarn/);
console.log("ok: a long run as a protocol task over HTTP");
