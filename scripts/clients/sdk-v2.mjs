// Checks the server with the TypeScript SDK 2, in both eras of the protocol.
import { address, check, load, stdio } from "./checks.mjs";

const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

async function connect(transport, era) {
  const client = new Client({ name: "checks", version: "1" }, { capabilities: {}, versionNegotiation: { mode: era } });
  const errors = [];
  client.onerror = (error) => errors.push(String(error));
  await client.connect(transport === "stdio" ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(address));
  return {
    errors,
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}
connect.eras = ["legacy", "auto"];
await check("TypeScript SDK 2", connect);
