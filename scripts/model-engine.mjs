// Serves every .gguf file of a folder as OpenAI-compatible servers do:
// node model-engine.mjs PORT FOLDER. It prints the address it listens on.
import http from "node:http";
import fs from "node:fs";
import path from "node:path";
import {getLlama, LlamaChatSession} from "node-llama-cpp";

const [port, folder] = process.argv.slice(2);
// One thread: several wait for each other in a loop, which takes minutes on a busy machine.
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", maxThreads: 1});
const loaded = new Map();
const names = fs.readdirSync(folder).filter((f) => f.endsWith(".gguf")).map((f) => f.slice(0, -".gguf".length));

class Refusal extends Error {
  constructor(status, message, code = null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function load(name) {
  if (!names.includes(name)) throw new Refusal(404, `model '${name}' not found`, "model_not_found");
  if (!loaded.has(name)) {
    const model = await llama.loadModel({modelPath: path.join(folder, `${name}.gguf`)});
    loaded.set(name, {model, context: await model.createContext({contextSize: model.trainContextSize})});
  }
  return loaded.get(name);
}

const histories = {
  system: (text) => ({type: "system", text}),
  user: (text) => ({type: "user", text}),
  assistant: (text) => ({type: "model", response: [text]}),
};

async function grammarFor(format) {
  if (format === undefined || format.type === "text") return undefined;
  if (format.type !== "json_schema") throw new Refusal(400, "'response_format.type' must be 'json_schema' or 'text'");
  return llama.createGrammarForJsonSchema(format.json_schema.schema);
}

async function complete(body, emit) {
  const {model, context} = await load(body.model);
  const grammar = await grammarFor(body.response_format);
  const promptTokens = body.messages.reduce((n, m) => n + model.tokenize(m.content).length + 2, 1);
  if (promptTokens >= context.contextSize) {
    throw new Refusal(400, `the request exceeds the available context size (${promptTokens} of ${context.contextSize} tokens)`, "context_length_exceeded");
  }
  const sequence = context.getSequence();
  try {
    const session = new LlamaChatSession({contextSequence: sequence});
    session.setChatHistory(body.messages.slice(0, -1).map((m) => histories[m.role](m.content)));
    const {responseText, stopReason} = await session.promptWithMeta(body.messages.at(-1).content, {
      grammar, temperature: 0, maxTokens: body.max_tokens ?? body.max_completion_tokens, onTextChunk: emit,
    });
    return {
      text: responseText,
      finish: stopReason === "maxTokens" ? "length" : "stop",
      usage: {prompt_tokens: promptTokens, completion_tokens: model.tokenize(responseText).length},
    };
  } finally {
    sequence.dispose();
  }
}

// One after the other: the models have one sequence each.
let queue = Promise.resolve();
function inTurn(f) {
  const result = queue.then(f);
  queue = result.catch(() => undefined);
  return result;
}

async function chat(body, response) {
  if (!body.stream) {
    const answer = await inTurn(() => complete(body));
    return send(response, 200, {
      object: "chat.completion", model: body.model, usage: answer.usage,
      choices: [{index: 0, message: {role: "assistant", content: answer.text}, finish_reason: answer.finish}],
    });
  }
  const event = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  const answer = await inTurn(() => complete(body, (text) => event({choices: [{index: 0, delta: {content: text}}]})));
  event({choices: [{index: 0, delta: {}, finish_reason: answer.finish}]});
  event({choices: [], usage: answer.usage});
  response.end("data: [DONE]\n\n");
}

function send(response, status, answer) {
  response.writeHead(status, {"Content-Type": "application/json"});
  response.end(JSON.stringify(answer));
}

async function handle(request, response) {
  if (request.url === "/v1/models") {
    return send(response, 200, {data: names.map((id) => ({id, object: "model"}))});
  }
  if (request.url !== "/v1/chat/completions") throw new Refusal(404, "there is nothing here");
  const parts = [];
  for await (const part of request) parts.push(part);
  let body;
  try {
    body = JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new Refusal(400, "the request is no JSON");
  }
  return chat(body, response);
}

const server = http.createServer((request, response) => {
  handle(request, response).catch((e) => {
    const error = {message: e.message, type: "error", code: e.code ?? null};
    if (response.headersSent) response.end(`data: ${JSON.stringify({error})}\n\n`);
    else send(response, e.status ?? 500, {error});
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/v1`));
