import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../../../../shared/core/calls/adapters/dialects.ts';
import type { PostedSignal } from '../../../../../shared/core/calls/adapters/posted.ts';
import { checkSignal } from '../../../../../shared/core/calls/signals/check-signal.ts';
import { FIXTURES, readFixture, signalsOf } from './fixtures.ts';
import type { Fixture, FixtureRecord } from './otlp-messages.ts';

const NOW = Date.parse('2026-11-22T03:05:00Z');
const SENDER = { orgId: 'org_1', boundUserId: null, defaultProjectId: null };

function signalsFrom(name: string): PostedSignal[] {
  return signalsOf(readFixture(name)).signals;
}

/** Nano-USD and how it was found, by the write path's own check. */
function priceOf(signal: PostedSignal | undefined) {
  const draft = checkSignal(signal, SENDER, NOW);
  return 'cost_nusd' in draft ? [draft.cost_nusd, draft.cost_source] : draft;
}

/** The signals of one record of a fixture with other attributes. */
function changed(
  name: string,
  index: number,
  attributes: FixtureRecord['attributes'],
  more: Partial<FixtureRecord> = {},
) {
  const fixture = readFixture(name);
  const record = fixture.records[index] as FixtureRecord;
  const records = [{ ...record, ...more, attributes: { ...record.attributes, ...attributes } }];
  return signalsOf({ ...fixture, records } as Fixture);
}

it.each(FIXTURES)('every signal of %s is one that the write path takes, with an id of its own', (name) => {
  const signals = signalsFrom(name);
  for (const signal of signals) expect(checkSignal(signal, SENDER, NOW)).toHaveProperty('_id');
  expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length);
});

it('ids are those of every release before: a client that repeats its records after an update counts nothing twice', () => {
  const digests = FIXTURES.map((name) => {
    const ids = signalsFrom(name).map(({ id }) => id);
    return [name, createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 12)];
  });
  expect(Object.fromEntries(digests)).toEqual({
    'ai-sdk': '9b66c61ab9f5',
    'claude-code': '323449a26ec0',
    codex: '8c85815d328b',
    gateway: 'd274c9b9d002',
    'gemini-cli': '9a5a980ec8e0',
    'github-copilot': 'df8e38a5528d',
    litellm: '9a81d18f0da9',
    opencode: '2f018a15589b',
    openinference: '8f8aa3ecaf77',
    openllmetry: '54daf5cc08da',
    'qwen-code': 'ddfecbbae82f',
    semconv: '2b5032708c1f',
  });
});

it.each([
  ['claude-code', 1, 'prompt.id query_source speed effort agent.name skill.name mcp_server.name'],
  ['claude-code', 3, 'prompt.id attempt query_source'],
  ['claude-code', 5, 'prompt.id decision_source'],
  ['claude-code', 11, 'prompt.id hook_event hook_name'],
  ['claude-code', 14, 'prompt.id from_mode to_mode trigger'],
  ['codex', 2, 'auth_mode originator service_tier ttft_ms model_reasoning_effort'],
  ['codex', 6, 'auth_mode originator attempt'],
  ['codex', 9, 'auth_mode originator'],
  ['gemini-cli', 3, 'role prompt_id'],
] as const)('the metadata of a signal of %s, record %i, has %s', (fixture, index, names) => {
  const own = readFixture(fixture).records[index]?.attributes ?? {};
  const told = names.split(' ').map((name) => [name, own[name] ?? `its ${name}`] as const);
  const metadata = told.map(([name, value]) => [name.replaceAll('.', '_'), String(value)]);
  const { signals } = changed(fixture, index, Object.fromEntries(told));
  expect(signals[0]?.metadata).toMatchObject(Object.fromEntries(metadata));
});

describe('the golden prices', () => {
  it('Claude sonnet 4.5, caches told apart: $0.008811, reported or computed', () => {
    const [reported, computed] = signalsFrom('claude-code');
    expect(reported).toMatchObject({
      tokens_in: 8512,
      tokens_out: 300,
      cache_read_tokens: 8000,
      cache_write_tokens: 500,
    });
    expect(priceOf(reported)).toEqual([8_811_000, 'reported']);
    expect(priceOf(computed)).toEqual([8_811_000, 'computed']);
    expect(priceOf(signalsFrom('openinference')[0])).toEqual([8_811_000, 'computed']);
    expect(priceOf(signalsFrom('ai-sdk')[0])).toEqual([8_811_000, 'computed']);
    expect(priceOf(signalsFrom('github-copilot')[0])).toEqual([8_811_000, 'computed']);
  });

  it('gpt-5 in 12000 of which cached 8000, out 900: $0.015', () => {
    expect(priceOf(signalsFrom('codex')[0])).toEqual([15_000_000, 'computed']);
    expect(priceOf(signalsFrom('semconv')[0])).toEqual([15_000_000, 'computed']);
    expect(priceOf(signalsFrom('opencode')[0])).toEqual([15_000_000, 'computed']);
    expect(priceOf(signalsFrom('litellm')[0])).toEqual([20_000_000, 'reported']);
  });

  it('gemini-2.5-pro in 5000 (cached 2000), out 400 and thoughts 600: $0.014', () => {
    expect(signalsFrom('gemini-cli')[0]).toMatchObject({
      tokens_in: 5000,
      tokens_out: 1000,
      cache_read_tokens: 2000,
    });
    expect(priceOf(signalsFrom('gemini-cli')[0])).toEqual([14_000_000, 'computed']);
  });
});

describe('tokens', () => {
  it('count thoughts once, inside the output or beside it', () => {
    expect(signalsFrom('qwen-code')[0]).toMatchObject({ tokens_in: 13_472, tokens_out: 101 });
    const beside = changed('qwen-code', 0, { total_token_count: 13_597 });
    expect(beside.signals[0]).toMatchObject({ tokens_in: 13_472, tokens_out: 125 });
    const tools = changed('qwen-code', 0, { total_token_count: 13_607, tool_token_count: 10 });
    expect(tools.signals[0]).toMatchObject({ tokens_in: 13_482, tokens_out: 125 });
    expect(tools.signals[0]?.metadata).not.toHaveProperty('usage_mismatch');
    const off = changed('qwen-code', 0, { total_token_count: 99_999 });
    expect(off.signals[0]?.metadata).toMatchObject({ usage_mismatch: 'total' });
  });

  it('include the cached ones, also where a dialect leaves them out', () => {
    const repaired = { usage_repaired: 'exclusive' };
    expect(signalsFrom('ai-sdk')[0]).toMatchObject({ tokens_in: 8512, metadata: repaired });
    expect(signalsFrom('openllmetry')[0]).toMatchObject({ tokens_in: 17_000, metadata: repaired });
    expect(signalsFrom('openinference')[0]).toMatchObject({ tokens_in: 8512 });
    expect(signalsFrom('openinference')[0]?.metadata).not.toHaveProperty('usage_repaired');
    const sentry = { 'gen_ai.usage.input_tokens.cached': 8000, 'gen_ai.usage.input_tokens.cache_write': 200 };
    expect(changed('semconv', 1, { ...sentry, 'gen_ai.usage.prompt_tokens': 9000 }).signals[0]).toMatchObject(
      {
        tokens_in: 9000,
        cache_read_tokens: 8000,
        cache_write_tokens: 200,
      },
    );
  });
});

describe('counts that contradict the dialect', () => {
  it('stay as they are, so that the call has no price', () => {
    const span = changed('semconv', 1, {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 400,
    }).signals[0];
    expect(span).toMatchObject({ tokens_in: 100, cache_read_tokens: 400 });
    expect(priceOf(span)).toEqual([null, 'unknown']);
    const codex = changed('codex', 2, { input_token_count: 100, cached_token_count: 400 }).signals[0];
    expect(codex).toMatchObject({ tokens_in: 100, cache_read_tokens: 400 });
  });
});

describe('tokens of a cache', () => {
  const spanOf = (attributes: Record<string, number>) => changed('semconv', 1, attributes).signals[0];

  it.each([
    'cache_read_tokens',
    'input_cached_tokens',
    'cached_input_tokens',
    'cached_tokens',
    'input_cache_read',
    'details.cache_read_tokens',
  ])('are read under gen_ai.usage.%s', (name) => {
    const counts = { 'gen_ai.usage.prompt_tokens': 9_000, [`gen_ai.usage.${name}`]: 8_000 };
    expect(spanOf(counts)).toMatchObject({ tokens_in: 9_000, cache_read_tokens: 8_000 });
  });

  it.each([
    'cache_write_tokens',
    'cache_write_input_tokens',
    'cache_creation_tokens',
    'input_cache_creation',
    'input_cache_write',
    'details.cache_write_tokens',
  ])('that were written are read under gen_ai.usage.%s', (name) => {
    const counts = { 'gen_ai.usage.prompt_tokens': 9_000, [`gen_ai.usage.${name}`]: 8_000 };
    expect(spanOf(counts)).toMatchObject({ tokens_in: 9_000, cache_write_tokens: 8_000 });
  });

  it('are beside the input in version 5 of the AI SDK with Anthropic, and in it from version 6 on', () => {
    const own = { 'ai.usage.inputTokens': 5_000, 'ai.usage.cachedInputTokens': 2_183 };
    const of = (more: object) => changed('ai-sdk', 2, { ...own, ...more }).signals[0];
    const anthropic = { 'ai.model.provider': 'anthropic.messages' };
    expect(of(anthropic)).toMatchObject({ tokens_in: 7_183, cache_read_tokens: 2_183 });
    const six = { ...anthropic, 'ai.usage.inputTokenDetails.noCacheTokens': 2_817 };
    expect(of(six)).toMatchObject({ tokens_in: 5_000, cache_read_tokens: 2_183 });
    expect(of({ 'ai.model.provider': 'openai.chat' })).toMatchObject({ tokens_in: 5_000 });
  });
});

describe('how a call was served', () => {
  const usage = (name: string) => `gen_ai.usage.${name}`;

  it('is read from spans by the conventions, the answer before the request', () => {
    const span = changed('semconv', 1, {
      'openai.request.service_tier': 'auto',
      'openai.response.service_tier': 'flex',
      [usage('output_audio_tokens')]: 3,
      [usage('output_image_tokens')]: 0,
      [usage('cache_creation.ephemeral_1h_input_tokens')]: 2,
      [usage('server_tool_use.web_search_requests')]: 4,
      [usage('inference_geo')]: 'us',
    }).signals[0];
    expect(span).toMatchObject({
      service_tier: 'flex',
      region: 'us',
      output_audio_tokens: 3,
      output_image_tokens: 0,
      cache_write_1h_tokens: 2,
      tool_uses: { web_search: 4 },
    });
    expect(changed('semconv', 1, { [usage('speed')]: 'fast' }).signals[0]).toHaveProperty(
      'service_tier',
      'fast',
    );
    expect(changed('semconv', 1, {}).signals[0]).not.toHaveProperty('service_tier');
  });

  it('is read from the events of Claude Code and Codex', () => {
    const fast = changed('claude-code', 1, { speed: 'fast', model: 'claude-opus-4-8' }).signals[0];
    expect(fast).toHaveProperty('service_tier', 'fast');
    expect(changed('claude-code', 1, { speed: 'normal' }).signals[0]).not.toHaveProperty('service_tier');
    expect(changed('codex', 2, { service_tier: 'priority' }).signals[0]).toHaveProperty(
      'service_tier',
      'priority',
    );
  });
});

describe('values', () => {
  it('come as numbers or as text, truth too', () => {
    const [asNumbers, asText] = signalsFrom('claude-code');
    expect(asText).toMatchObject({ tokens_in: asNumbers?.tokens_in, latency_ms: 4200 });
    for (const success of [false, 'false'])
      expect(changed('claude-code', 5, { success }).signals[0]).toHaveProperty('error');
    for (const success of [true, 'true'])
      expect(changed('claude-code', 5, { success }).signals[0]).not.toHaveProperty('error');
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '-1', 'NaN', 'many', '9007199254740993', 1.5])(
    'that are %s reject their record alone, and are named without their value',
    (value) => {
      const fixture = readFixture('claude-code');
      const bad = {
        ...fixture.records[1],
        attributes: { ...fixture.records[1]?.attributes, output_tokens: value },
      };
      const good = fixture.records[2] as FixtureRecord;
      const reading = signalsOf({ ...fixture, records: [bad, good] });
      expect(reading).toMatchObject({ records: 2, known: 2, rejected: 1 });
      expect(reading.reasons).toEqual([
        expect.stringMatching(/^output_tokens: must be an? (?:number from 0 to 2\^53|integer)$/),
      ]);
      expect(reading.signals).toHaveLength(1);
    },
  );

  it('that are missing count 0', () => {
    const fixture = readFixture('claude-code');
    const record = fixture.records[1] as FixtureRecord;
    const { output_tokens: _, cache_read_tokens: __, ...attributes } = record.attributes;
    expect(signalsOf({ ...fixture, records: [{ ...record, attributes }] }).signals[0]).toMatchObject({
      tokens_out: 0,
      cache_read_tokens: 0,
      tokens_in: 512,
    });
  });

  it('a cost of 0 was not reported; one in millionths is', () => {
    expect(changed('claude-code', 1, { cost_usd: 0, cost_usd_micros: 0 }).signals[0]).not.toHaveProperty(
      'cost_usd',
    );
    expect(changed('claude-code', 1, { cost_usd: 0, cost_usd_micros: '8811' }).signals[0]?.cost_usd).toBe(
      0.008811,
    );
    expect(changed('litellm', 0, { 'litellm.cost.total': 0 }).signals[0]).not.toHaveProperty('cost_usd');
  });
});

describe('what a tool tells oddly', () => {
  it('keeps the call of a machine that slept, without a latency', () => {
    const [call] = changed('claude-code', 1, { duration_ms: 90_000_000 }).signals;
    expect(call).not.toHaveProperty('latency_ms');
    expect(priceOf(call)).toEqual([8_811_000, 'reported']);
  });

  it('takes the next name of a user where one is blank', () => {
    const [call] = changed('semconv', 0, { 'user.email': '  ' }).signals;
    expect(call?.user_id).toBe(signalsFrom('semconv')[0]?.user_id);
    expect(call?.user_id).toBeTruthy();
  });

  it('takes a request of Codex for failed from status 400 on, though no message says why', () => {
    const { 'error.message': _, ...attributes } = readFixture('codex').records[6]?.attributes ?? {};
    const told = [399, 400, 500].map((status) => {
      const fixture = readFixture('codex');
      const changes = { attributes: { ...attributes, 'http.response.status_code': status } };
      const record = { ...fixture.records[6], ...changes } as FixtureRecord;
      return signalsOf({ ...fixture, records: [record] }).signals.map(({ error }) => error?.code);
    });
    expect(told).toEqual([[], ['400'], ['500']]);
  });

  it('passes over the status of an answer that began well and then failed', () => {
    const failed = { 'http.response.status_code': 200, 'error.type': 'timeout' };
    expect(changed('semconv', 0, failed).signals[0]?.error).toEqual({ code: 'timeout' });
    const { 'error.type': _, ...status } = failed;
    const [call] = changed('codex', 1, {
      ...status,
      'event.name': 'codex.api_request',
      'error.message': 'x',
    }).signals;
    expect(call?.error).toEqual({ code: 'error' });
  });

  it('takes no word of Claude Code for the status of an answer that never came', () => {
    const [call] = changed('claude-code', 3, { status_code: 'undefined' }).signals;
    expect(call?.error).toEqual({ code: 'error' });
  });

  it('names the attribute that is no integer, not the first of its kind', () => {
    const { 'gen_ai.usage.input_tokens': _, ...rest } = readFixture('semconv').records[0]?.attributes ?? {};
    const attributes = { ...rest, 'gen_ai.usage.prompt_tokens': 1.5 };
    const record = { ...readFixture('semconv').records[0], attributes } as FixtureRecord;
    expect(signalsOf({ ...readFixture('semconv'), records: [record] }).reasons).toEqual([
      'gen_ai.usage.prompt_tokens: must be an integer',
    ]);
  });
});

describe('time', () => {
  it('is the event’s, else the observed one, else the record’s; 0 is missing', () => {
    const times = { timeUnixNano: '1795316400000000000', observedTimeUnixNano: '1795316460000000000' };
    const tsOf = (timestamp: string, more: Partial<FixtureRecord>) =>
      changed('claude-code', 1, { 'event.timestamp': timestamp }, more).signals[0]?.ts;
    expect(tsOf('2026-11-22T04:00:09.5+01:00', times)).toBe('2026-11-22T03:00:09.500Z');
    expect(tsOf('yesterday', times)).toBe('2026-11-22T03:01:00.000Z');
    expect(tsOf('', { ...times, observedTimeUnixNano: '0' })).toBe('2026-11-22T03:00:00.000Z');
    const timeless = changed(
      'claude-code',
      1,
      { 'event.timestamp': '' },
      { timeUnixNano: '0', observedTimeUnixNano: '0' },
    );
    expect(timeless).toMatchObject({ rejected: 1, reasons: ['the record has no time'] });
  });
});

describe('recognition', () => {
  it('goes by event name, whatever the service and the scope are called', () => {
    for (const name of ['claude-code', 'codex', 'gemini-cli']) {
      const fixture = readFixture(name);
      const moved = { ...fixture, scope: 'any', resource: { 'service.name': 'something-else' } };
      expect(signalsOf(moved).known).toBe(fixture.records.length);
    }
    const bare = { attributes: { model: 'm', 'session.id': 's' }, timeUnixNano: '1795316400000000000' };
    const byField = signalsOf({
      kind: 'logs',
      scope: '',
      resource: {},
      records: [{ ...bare, eventName: 'claude_code.api_request' }],
    });
    expect(byField.signals).toMatchObject([{ adapter: 'claude-code', model: 'm' }]);
  });

  it('never fails for events that nobody knows', () => {
    const records = ['claude_code.new_thing', 'codex.', 'gemini_cli.constructor', 'other'].map(
      (eventName) => ({ eventName, attributes: {} }),
    );
    expect(signalsOf({ kind: 'logs', scope: '', resource: {}, records })).toMatchObject({
      records: 4,
      known: 3,
      rejected: 0,
      signals: [],
    });
  });

  it('counts nothing of spans that repeat a tool’s events, nor of logs that repeat spans', () => {
    const usage = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.usage.input_tokens': 5,
    };
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), endTimeUnixNano: '1795316400000000000' };
    const spans = [
      { scope: 'x', name: 'claude_code.llm_request' },
      { scope: 'codex_exec', name: 'handle_responses' },
      { scope: 'gemini-cli', name: 'llm_call' },
      { scope: 'qwen-code', name: 'llm_call' },
    ];
    for (const { scope, name } of spans) {
      const records = [{ ...ids, name, attributes: usage }];
      expect(signalsOf({ kind: 'traces', scope, resource: {}, records })).toMatchObject({
        known: 1,
        signals: [],
      });
    }
    const twin = { eventName: 'gen_ai.client.inference.operation.details', attributes: usage };
    expect(signalsOf({ kind: 'logs', scope: '', resource: {}, records: [twin] })).toMatchObject({
      known: 1,
      signals: [],
    });
  });
});

describe('what is no call, no user, no model of its own', () => {
  it('a completed event of Codex without token counts is no call', () => {
    const fixture = readFixture('codex');
    const counted = fixture.records[2] as FixtureRecord;
    const kept = Object.entries(counted.attributes).filter(([key]) => !key.endsWith('_count'));
    const raw = { ...counted, attributes: { ...Object.fromEntries(kept), duration_ms: 812 } };
    const { signals, known } = signalsOf({ ...fixture, records: [raw, counted] });
    expect(known).toBe(2);
    expect(signals).toMatchObject([{ tokens_in: 12_000, tokens_out: 900 }]);
  });

  it('the user whom opencode calls unknown is nobody', () => {
    const user = 'ai.telemetry.metadata.userId';
    expect(changed('opencode', 1, { [user]: 'unknown' }).signals[0]).not.toHaveProperty('user_id');
    expect(changed('opencode', 1, { [user]: ' grace ' }).signals[0]?.user_id).toBe('grace');
  });

  it.each([
    'user.email',
    'user.id',
    'enduser.id',
    'enduser.pseudo.id',
    'installation.id',
    'metadata.user_id',
    ...FIELDS.user,
  ])('%s of a caller of LiteLLM’s proxy is nobody: its user is the one that the proxy verified', (name) => {
    const { records, ...fixture } = readFixture('litellm');
    const { attributes, ...record } = records[0] as FixtureRecord;
    const { 'metadata.user_api_key_user_id': verified, 'user.id': _, ...others } = attributes;
    const userOf = (own: FixtureRecord['attributes'], resource = fixture.resource) =>
      signalsOf({ ...fixture, resource, records: [{ ...record, attributes: { ...others, ...own } }] })
        .signals[0]?.user_id;
    const written = { [name]: 'mallory' };
    const byId = { 'metadata.user_api_key_user_id': verified ?? '' };
    expect(userOf({ ...written, ...byId }, written)).toBe('grace');
    const byEmail = { ...byId, 'metadata.user_api_key_user_email': 'grace@example.org' };
    expect(userOf({ ...written, ...byEmail }, written)).toBe('grace@example.org');
    expect(userOf(written, written)).toBeUndefined();
  });

  it('a long context does not change the name of Claude Code’s model', () => {
    for (const index of [1, 3])
      expect(changed('claude-code', index, { model: 'claude-opus-4-8[1m]' }).signals[0]?.model).toBe(
        'claude-opus-4-8',
      );
  });

  it('a successful call that reports no tokens is unpriced, a failed one is not', () => {
    const fixture = readFixture('semconv');
    const streamed = fixture.records[0] as FixtureRecord;
    const kept = Object.entries(streamed.attributes).filter(([key]) => !key.includes('.usage.'));
    const record = { ...streamed, attributes: Object.fromEntries(kept) };
    const [call] = signalsOf({ ...fixture, records: [record] }).signals;
    expect(priceOf(call)).toEqual([null, 'unknown']);
    const failed = { ...record, attributes: { ...record.attributes, 'error.type': 'timeout' } };
    const [failure] = signalsOf({ ...fixture, records: [failed] }).signals;
    expect(priceOf(failure)).toEqual([0, 'computed']);
    // One count alone, under any of its names, is a report.
    for (const name of [...FIELDS.input, ...FIELDS.output]) {
      const zero = { ...record, attributes: { ...record.attributes, [name]: 0 } };
      expect(priceOf(signalsOf({ ...fixture, records: [zero] }).signals[0]), name).toEqual([0, 'computed']);
    }
  });
});

describe('interventions', () => {
  it('of Claude Code say who decided what', () => {
    const told = signalsFrom('claude-code').flatMap(({ intervention }) => intervention ?? []);
    expect(told.map(({ kind, verdict, action, source }) => `${kind} ${verdict}/${action}/${source}`)).toEqual(
      [
        'model_refusal deny/block/provider',
        'tool_permission escalate/allow/user',
        'tool_permission escalate/block/user',
        'tool_permission deny/block/config',
        'tool_permission allow/allow/hook',
        'hook deny/block/hook',
        'permission_mode warn/allow/user',
      ],
    );
  });

  it('of Gemini CLI leave out its yes, which it also sends when nobody was asked', () => {
    const decided = (name: string, decision: string) =>
      changed(name, name === 'gemini-cli' ? 5 : 1, { decision }).signals.flatMap(
        ({ intervention }) => intervention?.action ?? [],
      );
    expect(decided('gemini-cli', 'accept')).toEqual([]);
    expect(decided('gemini-cli', 'reject')).toEqual(['block']);
    expect(decided('qwen-code', 'accept')).toEqual(['allow']);
  });

  it('of Codex follow its words by their begin', () => {
    const decided = (decision: string, source?: string) =>
      changed('codex', 11, { decision, ...(source === undefined ? {} : { source }) }).signals.map(
        ({ intervention }) => `${intervention?.verdict}/${intervention?.action}/${intervention?.source}`,
      );
    for (const yes of [
      'approved',
      'approved_execpolicy_amendment',
      'approved_mcp_policy_amendment',
      'network_policy_amendment',
    ])
      expect(decided(yes)).toEqual(['escalate/allow/user']);
    for (const no of ['denied', 'timed_out', 'abort']) expect(decided(no)).toEqual(['escalate/block/user']);
    expect(decided('denied', 'AutomatedReviewer')).toEqual(['deny/block/reviewer']);
    expect(decided('approved', 'Config')).toEqual([]);
    expect(decided('unheard_of')).toEqual([]);
  });
});

describe('ids', () => {
  it('are the span’s own where an answer’s is so short that it repeats', () => {
    expect(signalsFrom('semconv')[2]?.id).toBe('4bf92f3577b34da6a3ce929d0e0e4736:000000000000a003');
  });

  it('are hashed where the tool’s are too long', () => {
    const [signal] = changed('claude-code', 1, { request_id: 'r'.repeat(300) }).signals;
    expect(signal?.id).toMatch(/^[\w-]{32}$/);
  });

  it('reject a span that has none', () => {
    const fixture = readFixture('semconv');
    const [first, second] = fixture.records as [FixtureRecord, FixtureRecord];
    const { spanId: _, ...without } = second;
    expect(signalsOf({ ...fixture, records: [first, without] })).toMatchObject({ rejected: 1, records: 2 });
  });
});

it('the tokens of Claude Code’s fixture are the same when opencode’s plugin mimics it', () => {
  const fixture = readFixture('claude-code');
  const mimicked = signalsOf({ ...fixture, scope: '@devtheops/opencode-plugin-otel' });
  expect(mimicked.signals).toEqual(signalsFrom('claude-code'));
});
