/** The request to `/mcp` that calls a tool. */
export const toolCall = (name: string, args: object) => ({
  headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
});
