import { decodeAnswer, type Json, type Kind } from '../shared/core/calls/adapters/otlp-messages.ts';
import type { TestApi } from './harness.ts';

export type Encoding = 'json' | 'protobuf';
export const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];
const TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' };

export interface Sending {
  to: Pick<TestApi, 'url'>;
  key: string;
  route?: Kind;
  encoding?: Encoding;
  headers?: Record<string, string>;
}

/** Posts bytes as a client of OTLP/HTTP would, and reads the answer in its encoding. */
export async function sendOtlp(body: Uint8Array | ReadableStream, sending: Sending) {
  const { to, key, route = 'logs', encoding = 'json', headers = {} } = sending;
  const response = await fetch(`${to.url}/otlp/v1/${route}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': TYPES[encoding], ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isProtobuf = response.headers.get('content-type') === TYPES.protobuf;
  const answer: Json = isProtobuf
    ? decodeAnswer(response.ok ? 'Answer' : 'Status', bytes)
    : JSON.parse(bytes.toString());
  return { status: response.status, headers: response.headers, answer, bytes };
}
