import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { exchange } from '../../../shared/platform/outward/exchange.ts';
import { describeFailure, requestTo } from './api/ask.ts';
import { type Target, type TargetFlags, targetOf, withTarget } from './api/target.ts';
import { splitLines } from './read-folder.ts';

/** Error codes of JSON-RPC 2.0 section 5.1, and the first of those that a server may give its own meaning. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const AWAY = -32_000;
/** Longer than the api works on a request, and more than a tool answers. */
const LIMITS = { deadlineMs: 30_000, mostBytes: 16_777_216 };

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

/** A message of JSON-RPC 2.0. One without an `id` gets no answer. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> };
}

/** `mcp`: the tools of the api for agents that start their servers themselves, one JSON object per line. */
export function addMcpCommand(program: Command, around: Target): void {
  withTarget(program.command('mcp'))
    .description('Serve the MCP tools of the api over standard input and output')
    .action(async (flags: TargetFlags) => {
      const target = requestTo(targetOf(flags, around), '/mcp');
      await relay(process.stdin, target, (line) => process.stdout.write(`${line}\n`));
    });
}

/** Sends each line to the api, side by side, and writes each answer as one line. Returns when the input has ended and all are answered. */
export async function relay(
  input: Readable,
  target: { url: URL; headers: Record<string, string> },
  write: (line: string) => void,
): Promise<void> {
  const session: Session = { version: null };
  const underWay = new Set<Promise<void>>();
  for await (const lines of splitLines(input))
    for (const line of lines.filter((one) => one.trim() !== '')) {
      const answered = answerLine(line, target, session).then((answer) => {
        underWay.delete(answered);
        if (answer !== null) write(answer);
      });
      underWay.add(answered);
    }
  await Promise.all(underWay);
}

/** The version that the handshake of 2025 has settled: later messages name it in a header only. */
interface Session {
  version: string | null;
}

/** The answer to a line as one line, or null for a notification. Never throws. */
async function answerLine(
  line: string,
  { url, headers }: { url: URL; headers: Record<string, string> },
  session: Session,
): Promise<string | null> {
  const message = parseObject(line);
  if (message === null) return errorLine(null, PARSE_ERROR, 'The line is not JSON.');
  if (message === undefined) return errorLine(null, INVALID_REQUEST, 'The line is no JSON object.');
  const id = message.id ?? null;
  try {
    const accept = 'application/json, text/event-stream';
    const asked = { ...headers, accept, ...headersOf(message, session) };
    const response = await exchange(url, { method: 'POST', headers: asked, body: line }, LIMITS);
    const answer = parseObject(await response.text());
    if (id === null) return null;
    if (!answer) return errorLine(id, AWAY, `The api answered ${response.status}.`);
    noteVersion(message, answer, session);
    return JSON.stringify({ ...answer, id });
  } catch (error) {
    return id === null ? null : errorLine(id, AWAY, `The api cannot be reached: ${describeFailure(error)}`);
  }
}

/** Returns null for text that is not JSON, and undefined for JSON that is no object. */
function parseObject(text: string): Message | null | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return null;
  }
}

/** The headers that the body implies: of revision 2026-07-28 by its `_meta`, of an earlier one by the handshake. */
function headersOf({ method, params }: Message, { version }: Session): Record<string, string> {
  const named = params?._meta?.[PROTOCOL_VERSION];
  if (typeof named !== 'string') return version === null ? {} : { 'mcp-protocol-version': version };
  const name = method === 'resources/read' ? params?.uri : params?.name;
  return {
    'mcp-protocol-version': headerText(named),
    ...(typeof method === 'string' ? { 'mcp-method': headerText(method) } : {}),
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  };
}

/** A value outside visible ASCII goes as base64. */
function headerText(value: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function noteVersion({ method }: Message, answer: object, session: Session): void {
  if (method !== 'initialize') return;
  const { result } = answer as { result?: { protocolVersion?: unknown } };
  if (typeof result?.protocolVersion === 'string') session.version = result.protocolVersion;
}

function errorLine(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
