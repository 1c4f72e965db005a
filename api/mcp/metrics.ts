import { counter } from '../../shared/platform/basics/metrics.ts';

export const mcpCalls = counter({
  name: 'governor_mcp_requests_total',
  help: 'Calls of MCP tools, by tool, era of the protocol, and outcome: answered, also with an error that the model reads, or failed.',
  labelNames: ['tool', 'era', 'outcome'],
});
