import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readMessages, writeMessage } from './anthropic.ts';
import { readGemini, writeGemini } from './gemini.ts';
import { createModel, type ModelCall } from './ledger.ts';
import { readChat, writeChat } from './openai-chat.ts';
import { readEmbeddings, writeEmbeddings } from './openai-embeddings.ts';
import { readResponses, writeResponse } from './openai-responses.ts';
import type { Json, Reply } from './reply.ts';

/** A model on loopback that speaks the protocols of Anthropic, OpenAI and Gemini. */
export interface ModelServer {
  url: string;
  /** Its answers, in order. */
  calls: readonly ModelCall[];
  /** Requests that are none of a model, by method and path. */
  others: readonly string[];
  close: () => void;
}

type Model = ReturnType<typeof createModel>;

export async function startModelServer(): Promise<ModelServer> {
  const model = createModel();
  const others: string[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = new URL(request.url ?? '/', 'http://model').pathname;
      const reply = replyTo(model, path, body);
      if (!reply) others.push(`${request.method} ${path}`);
      send(response, reply ?? { status: 404, json: { error: { message: 'Not found' } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: model.calls,
    others,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function replyTo({ calls, answer }: Model, path: string, body: Json): Reply | null {
  if (path.endsWith('/chat/completions')) return writeChat(answer(readChat(body)), body, calls.length);
  if (path.endsWith('/responses')) return writeResponse(answer(readResponses(body)), body, calls.length);
  if (path.endsWith('/embeddings')) return writeEmbeddings(answer(readEmbeddings(body)));
  if (path.endsWith('/messages')) return writeMessage(answer(readMessages(body)), body, calls.length);
  if (path.endsWith(':countTokens')) return { status: 200, json: { totalTokens: 10 } };
  const gemini = /\/models\/([^:/]+):(generateContent|streamGenerateContent)$/.exec(path);
  if (!gemini) return null;
  const [, name = '', method] = gemini;
  return writeGemini(answer(readGemini(body, name)), body, method === 'streamGenerateContent');
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { status, headers = {}, json, stream }: Reply): void {
  const type = stream === undefined ? 'application/json' : 'text/event-stream';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(stream ?? JSON.stringify(json));
}
