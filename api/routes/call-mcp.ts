import { jsonRpcResponse } from '../basics/json-rpc.ts';
import { route } from '../basics/route.ts';

export const callMcp = route({
  method: 'post',
  path: '/mcp',
  summary: 'Send a message of the Model Context Protocol',
  description:
    'Streamable HTTP of revision 2026-07-28, and of 2025-03-26 to 2025-11-25 without sessions. One message per request, one ' +
    "JSON object per answer; a notification is answered 202. Takes an API key, or a person's access token for " +
    '`MCP_AUDIENCE`. Errors are JSON-RPC errors.',
  tag: 'MCP',
  auth: { kind: 'agent' },
  priority: 'read',
  errorStyle: 'json-rpc',
  takesBytes: 'json',
  bodyBytes: 65_536,
  success: {
    status: 200,
    description: 'The response',
    body: jsonRpcResponse,
    empty: { 202: 'The notification was taken' },
  },
  errors: ['cross_site', 'not_found'],
  handle: async ({ principal, request }, ctx) => {
    if (request.bytes === null) throw new Error('A route that takes bytes was served without them');
    // The first message loads the SDK of the protocol: 5 MB of heap that nobody else needs.
    const { answerMessage } = await import('../mcp/answer.ts');
    return answerMessage(ctx, principal, request.bytes.body, (name) => request.header(name));
  },
});
