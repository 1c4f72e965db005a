import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LegacyOpenTelemetry, OpenTelemetry } from '@ai-sdk/otel';
import { OTLPLogExporter as LogsAsJson } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as LogsAsProtobuf } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as SpansAsJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as SpansAsProtobuf } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { generateText, streamText, tool } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../../packages/stack/ports.ts';
import { startMongo } from '../../packages/stack/stores.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { readFixture } from '../shared/core/calls/adapters/fixtures.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { startApi, type TestApi, until } from '../support/harness.ts';

const { api } = await fixture();

type ExporterOptions = ConstructorParameters<typeof LogsAsJson>[0];
const COMPRESSIONS = ['none', 'gzip'] as const;
const SENDERS = COMPRESSIONS.flatMap((compression) => [
  { protocol: 'http/json', compression, logs: LogsAsJson, spans: SpansAsJson },
  { protocol: 'http/protobuf', compression, logs: LogsAsProtobuf, spans: SpansAsProtobuf },
]);

function optionsFor(
  to: TestApi,
  key: string,
  route: 'logs' | 'traces',
  compression: string,
): ExporterOptions {
  const headers = { Authorization: `Bearer ${key}` };
  return { url: `${to.url}/otlp/v1/${route}`, headers, compression } as ExporterOptions;
}

const resource = resourceFromAttributes({ 'service.name': 'test', 'project.id': 'atlas' });

function loggerTo(exporter: LogRecordExporter) {
  const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] });
  return { logger: provider.getLogger('com.anthropic.claude_code.events'), end: () => provider.shutdown() };
}

function tracerTo(exporter: SpanExporter) {
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] });
  return { tracer: provider.getTracer('ai'), end: () => provider.shutdown() };
}

async function sessionsOf(key: string, from: TestApi = api) {
  const { body } = await from.call('/api/v1/sessions', { key });
  return body.data;
}

/** The export's nano-USD of a key's organization, summed. */
async function exportedCost(key: string): Promise<number> {
  const { text } = await api.call('/api/v1/usage/export?format=csv', { key });
  const [head = '', ...rows] = text.trim().split(/\r?\n/);
  const column = head.split(',').indexOf('cost_usd');
  return rows.reduce((sum, row) => sum + Math.round(Number(row.split(',')[column]) * 1e9), 0);
}

describe.each(SENDERS)(
  'the OpenTelemetry SDK over $protocol, $compression',
  ({ compression, logs, spans }) => {
    it('sends log records whose tokens the sessions API tells', async () => {
      const { key } = await makeTenant(api.ctx);
      const { logger, end } = loggerTo(new logs(optionsFor(api, key, 'logs', compression)));
      for (let index = 0; index < 3; index += 1) {
        const [, call] = readFixture('claude-code').records;
        logger.emit({
          body: 'claude_code.api_request',
          attributes: {
            ...call?.attributes,
            cost_usd: 0,
            request_id: `req_${index}`,
            'event.timestamp': new Date(Date.now() - 1_000).toISOString(),
          },
        });
      }
      await end();
      expect(await sessionsOf(key)).toMatchObject([
        {
          adapter: 'claude-code',
          project_id: 'atlas',
          tokens_in: 3 * 8512,
          tokens_out: 900,
          signal_count: 3,
        },
      ]);
      expect(await exportedCost(key)).toBe(3 * 8_811_000);
    });

    it('sends spans whose tokens the sessions API tells', async () => {
      const { key } = await makeTenant(api.ctx, { user_id: 'grace' });
      const { tracer, end } = tracerTo(new spans(optionsFor(api, key, 'traces', compression)));
      const agent = tracer.startSpan('invoke_agent', {
        attributes: { 'gen_ai.operation.name': 'invoke_agent' },
      });
      const call = tracer.startSpan('chat gpt-5');
      call.setAttributes({ ...readFixture('semconv').records[0]?.attributes, 'user.id': 'grace' });
      call.end();
      agent.end();
      await end();
      expect(await sessionsOf(key)).toMatchObject([
        {
          adapter: 'otel',
          user_id: 'grace',
          tokens_in: 12_000,
          tokens_out: 900,
          cost_usd: 0.015,
          signal_count: 1,
        },
      ]);
      expect(await exportedCost(key)).toBe(15_000_000);
    });
  },
);

/** A model that calls a tool, then answers; each call costs the golden tokens of gpt-5. */
function scriptedModel(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 12_000, noCache: 4_000, cacheRead: 8_000, cacheWrite: undefined },
    outputTokens: { total: 900, text: 900, reasoning: undefined },
  };
  let calls = 0;
  const response = () => ({ id: `resp-0123456789abcdef-${calls}`, modelId: 'gpt-5', timestamp: new Date() });
  return new MockLanguageModelV4({
    provider: 'openai.responses',
    modelId: 'gpt-5',
    doGenerate: async () => {
      calls += 1;
      const toolCall = {
        type: 'tool-call',
        toolCallId: 'call_0123456789abcdef',
        toolName: 'look',
        input: '{}',
      };
      return {
        content: calls === 1 ? [toolCall] : [{ type: 'text', text: 'MARKED-CONTENT' }],
        finishReason: calls === 1 ? { unified: 'tool-calls', raw: 'x' } : { unified: 'stop', raw: 'x' },
        usage,
        response: response(),
        warnings: [],
      } as never;
    },
    doStream: async () => {
      calls += 1;
      const chunks = [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', ...response() },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'MARKED-CONTENT' },
        { type: 'text-end', id: '1' },
        { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'x' } },
      ];
      return { stream: simulateReadableStream({ chunks }) } as never;
    },
  });
}

describe.each([
  { name: 'its own telemetry', integration: OpenTelemetry },
  { name: 'its telemetry of version 6', integration: LegacyOpenTelemetry },
])('the Vercel AI SDK with $name', ({ integration }) => {
  it('counts each model call and tool call once, and none of the spans around them', async () => {
    const { key, orgId } = await makeTenant(api.ctx, { user_id: 'grace' });
    const { tracer, end } = tracerTo(new SpansAsProtobuf(optionsFor(api, key, 'traces', 'gzip')));
    const telemetry = { integrations: [new integration({ tracer })], isEnabled: true };
    const look = tool({ inputSchema: z.object({}), execute: async () => 'MARKED-CONTENT' });
    const { text } = await generateText({
      model: scriptedModel(),
      prompt: 'MARKED-CONTENT',
      tools: { look },
      stopWhen: ({ steps }) => steps.length === 2,
      telemetry,
    });
    expect(text).toBe('MARKED-CONTENT');
    await end();
    const signals = await signalRows(api.ctx).find({ org_id: orgId }).toArray();
    const calls = signals.filter(({ model }) => model !== null);
    expect(calls).toHaveLength(2);
    for (const call of calls)
      expect(call).toMatchObject({
        tokens_in: 12_000,
        cache_read_tokens: 8_000,
        tokens_out: 900,
        cost_nusd: 15_000_000,
      });
    expect(signals.filter(({ tool_name }) => tool_name === 'look')).toHaveLength(1);
    expect(signals).toHaveLength(3);
    expect(await sessionsOf(key)).toMatchObject([{ tokens_in: 24_000, tokens_out: 1_800, cost_usd: 0.03 }]);
    expect(await exportedCost(key)).toBe(30_000_000);
    expect(JSON.stringify(signals)).not.toContain('MARKED');
  });

  it('counts a stream once', async () => {
    const { key } = await makeTenant(api.ctx, { user_id: 'grace' });
    const { tracer, end } = tracerTo(new SpansAsJson(optionsFor(api, key, 'traces', 'none')));
    const telemetry = { integrations: [new integration({ tracer })], isEnabled: true };
    await streamText({ model: scriptedModel(), prompt: 'hello', telemetry }).consumeStream();
    await end();
    expect(await sessionsOf(key)).toMatchObject([{ tokens_in: 12_000, tokens_out: 900, signal_count: 1 }]);
  });
});

/** The client gives up by itself after ten seconds, which a busy machine needs for MongoDB alone. */
const PATIENCE_MS = 50_000;

/** A server before the api that holds every request but the first until `may` resolves: the client repeats only a few times. */
async function repeatOnlyOnce(to: TestApi, may: () => Promise<void>) {
  const statuses: (number | undefined)[] = [];
  let requests = 0;
  const pass = (req: IncomingMessage, res: ServerResponse) => {
    const { method, headers } = req;
    const passed = request(to.url + req.url, { method, headers }, (answer) => {
      statuses.push(answer.statusCode);
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(passed);
  };
  const server = createServer((req, res) => {
    requests += 1;
    if (requests === 1) pass(req, res);
    else void may().then(() => pass(req, res));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => server.close();
  return { url: `http://127.0.0.1:${port}`, statuses, close };
}

it('without MongoDB a batch gets 503, and the SDK’s retry stores all of it once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-otlp-'));
  const port = await findFreePort();
  const options = { port, dir: join(folder, 'mongo'), fast: true };
  let mongo = await startMongo(options);
  const restarted = Promise.withResolvers<void>();
  const own = await startApi({ mongoUrl: mongo.url });
  try {
    const { key, orgId } = await makeTenant(own.ctx);
    const bound = await createApiKey(own.ctx, { org_id: orgId, scopes: ['signals:write'], user_id: 'grace' });
    const through = await repeatOnlyOnce(own, () => restarted.promise);
    const exporter = new SpansAsProtobuf({
      ...optionsFor({ ...own, url: through.url }, bound.key, 'traces', 'gzip'),
      timeoutMillis: PATIENCE_MS,
    });
    const processor = new BatchSpanProcessor({ exporter, exportTimeoutMillis: PATIENCE_MS });
    const provider = new TracerProvider({ resource, spanProcessors: [processor] });
    const tracer = provider.getTracer('ai');
    for (let index = 0; index < 20; index += 1) {
      const span = tracer.startSpan('chat');
      const [call] = readFixture('semconv').records;
      span.setAttributes({ ...call?.attributes, 'gen_ai.response.id': `resp-0123456789abcdef-${index}` });
      span.end();
    }
    await mongo.stop();
    const sent = provider.shutdown();
    const refused = await own.call('/otlp/v1/traces', { key: bound.key, body: {} });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body).toMatchObject({ code: 14 });
    await until(() => through.statuses.length === 1, { timeoutMs: PATIENCE_MS });
    mongo = await startMongo(options);
    restarted.resolve();
    await sent;
    through.close();
    expect(through.statuses).toEqual([503, 200]);
    expect(await sessionsOf(key, own)).toMatchObject([{ signal_count: 20, tokens_in: 240_000 }]);
  } finally {
    await own.close().catch(() => undefined);
    await mongo.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
