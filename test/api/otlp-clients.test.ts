import type { IncomingMessage, ServerResponse } from 'node:http';
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
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { readFixture } from '../shared/core/calls/adapters/fixtures.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const { api } = await fixture();

type ExporterOptions = ConstructorParameters<typeof LogsAsJson>[0];
const COMPRESSIONS = ['none', 'gzip'] as const;
const SENDERS = COMPRESSIONS.flatMap((compression) => [
  { protocol: 'http/json', compression, logs: LogsAsJson, spans: SpansAsJson },
  { protocol: 'http/protobuf', compression, logs: LogsAsProtobuf, spans: SpansAsProtobuf },
]);

function optionsFor(to: { url: string }, key: string, route: 'logs' | 'traces', compression: string) {
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

const sessionsOf = async (key: string) => (await api.call('/api/v1/sessions', { key })).body.data;

describe.each(SENDERS)(
  'the OpenTelemetry SDK over $protocol, $compression',
  ({ compression, logs, spans }) => {
    it('sends log records whose tokens the sessions API tells', async () => {
      const { key, orgId } = await makeTenant(api.ctx);
      const { logger, end } = loggerTo(new logs(optionsFor(api, key, 'logs', compression)));
      const [, call] = readFixture('claude-code').records;
      const now = { cost_usd: 0, 'event.timestamp': new Date(Date.now() - 1_000).toISOString() };
      for (const request_id of ['req_0', 'req_1', 'req_2'])
        logger.emit({
          body: 'claude_code.api_request',
          attributes: { ...call?.attributes, ...now, request_id },
        });
      await end();
      const sums = { tokens_in: 3 * 8512, tokens_out: 900, cost_usd: 0.0264 };
      const of = { adapter: 'claude-code', project_id: 'atlas', signal_count: 3 };
      expect(await sessionsOf(key)).toMatchObject([{ ...of, ...sums }]);
      const signals = await signalRows(api.ctx).find({ org_id: orgId }).toArray();
      expect(signals.map(({ cost_nusd }) => cost_nusd)).toEqual(Array(3).fill(8_811_000));
    });

    it('sends spans whose tokens the sessions API tells', async () => {
      const { key } = await makeTenant(api.ctx, { user_id: 'grace' });
      const { tracer, end } = tracerTo(new spans(optionsFor(api, key, 'traces', compression)));
      const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
      const agent = tracer.startSpan('invoke_agent', { attributes });
      const call = tracer.startSpan('chat gpt-5');
      call.setAttributes({ ...readFixture('semconv').records[0]?.attributes, 'user.id': 'grace' });
      call.end();
      agent.end();
      await end();
      const of = { adapter: 'otel', user_id: 'grace', signal_count: 1 };
      const sums = { tokens_in: 12_000, tokens_out: 900, cost_usd: 0.015 };
      expect(await sessionsOf(key)).toMatchObject([{ ...of, ...sums }]);
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
      const unified = calls === 1 ? 'tool-calls' : 'stop';
      return {
        content: calls === 1 ? [toolCall] : [{ type: 'text', text: 'MARKED-CONTENT' }],
        finishReason: { unified, raw: 'x' },
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
    const golden = { tokens_in: 12_000, cache_read_tokens: 8_000, tokens_out: 900, cost_nusd: 15_000_000 };
    expect(calls).toMatchObject([golden, golden]);
    const tools = signals.filter(({ model }) => model === null);
    expect(tools).toMatchObject([{ tool_name: 'look' }]);
    expect(await sessionsOf(key)).toMatchObject([{ tokens_in: 24_000, tokens_out: 1_800, cost_usd: 0.03 }]);
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

it('a batch that a store does not take gets 503, and the SDK’s retry stores all of it once', async () => {
  const { key } = await makeTenant(api.ctx, { user_id: 'grace' });
  const statuses: number[] = [];
  const note = (_: IncomingMessage, res: ServerResponse) =>
    res.once('finish', () => statuses.push(res.statusCode));
  api.server.on('request', note);
  onTestFinished(() => void api.server.off('request', note));
  vi.spyOn(apiKeyRows(api.ctx), 'find').mockImplementationOnce(() => {
    throw new Error('Connection is closed.');
  });
  const { tracer, end } = tracerTo(new SpansAsProtobuf(optionsFor(api, key, 'traces', 'gzip')));
  const [call] = readFixture('semconv').records;
  for (let index = 0; index < 20; index += 1) {
    const span = tracer.startSpan('chat');
    span.setAttributes({ ...call?.attributes, 'gen_ai.response.id': `resp-0123456789abcdef-${index}` });
    span.end();
  }
  await end();
  vi.restoreAllMocks();
  expect(statuses).toEqual([503, 200]);
  expect(await sessionsOf(key)).toMatchObject([{ signal_count: 20, tokens_in: 240_000 }]);
});
