import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { DomainError, ERRORS } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';
import { plainText } from './tool/plain.ts';
import { toolNamed } from './tools.ts';

/** The result of a call: structured, and the same as text for clients that read no structure. */
export interface ToolResult {
  [name: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/**
 * Calls a tool. A fault that the caller can mend, such as wrong arguments or a budget that refuses, is a result for the model.
 * Throws a ProtocolError for a tool that is not there, and failures of the service as they are.
 */
export async function callTool(
  ctx: Context,
  principal: ApiKeyPrincipal,
  { name, arguments: args = {} }: { name: string; arguments?: unknown },
): Promise<ToolResult> {
  const tool = toolNamed(name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool.');
  try {
    const structuredContent = tool.output.parse(await tool.run(ctx, principal, args));
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    if (!(error instanceof DomainError) || ERRORS[error.code].status >= 500) throw error;
    return { content: [{ type: 'text', text: sentence(error.message) }], isError: true };
  }
}

function sentence(message: string): string {
  return message.length <= 200 ? plainText(message) : Array.from(message, plainText).join('').slice(0, 1_000);
}
