// Package tools is the MCP surface: what a host sees of the server.
//
// Start with [New], which gives an MCP server over the ports declared in
// ports.go, and hand it to a transport. Each tool is one file with a typed input
// whose struct tags are its schema; table.go lists them. The transports say who
// calls with [WithCaller].
//
// The package does no research and opens no connection. It decodes what models
// write, waits no longer than hosts do, and cuts what comes back to what hosts
// can carry. Types of the MCP library stay in here and in the command.
package tools
