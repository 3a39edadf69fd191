// Checks the server with the TypeScript SDK 1.
import { address, check, load, stdio } from "./checks.mjs";

const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");

async function connect(transport) {
  const client = new Client({ name: "checks", version: "1" }, { capabilities: {} });
  const errors = [];
  client.onerror = (error) => errors.push(String(error));
  await client.connect(transport === "stdio" ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(address));
  return {
    errors,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
}
connect.eras = ["legacy"];
await check("TypeScript SDK 1", connect);
