import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../../../../shared/core/calls/adapters/dialects.ts';
import type { PostedSignal } from '../../../../../shared/core/calls/adapters/posted.ts';
import { checkSignal } from '../../../../../shared/core/calls/signals/check-signal.ts';
import { FIXTURES, readFixture, signalsOf } from './fixtures.ts';
import type { FixtureRecord } from './otlp-messages.ts';

const NOW = Date.parse('2026-11-22T03:05:00Z');
const SENDER = { orgId: 'org_1', boundUserId: null, defaultProjectId: null };

/** The attributes of a record; one that is undefined is left out. */
type Attributes = Record<string, FixtureRecord['attributes'][string] | undefined>;

function signalsFrom(name: string): PostedSignal[] {
  return signalsOf(readFixture(name)).signals;
}

/** Nano-USD and how it was found, by the write path's own check. */
function priceOf(signal: PostedSignal | undefined) {
  const draft = checkSignal(signal, SENDER, NOW);
  return 'cost_nusd' in draft ? [draft.cost_nusd, draft.cost_source] : draft;
}

/** One record of a fixture with other attributes. */
function recordOf(
  name: string,
  index: number,
  attributes: Attributes,
  more: Partial<FixtureRecord> = {},
): FixtureRecord {
  const record = readFixture(name).records[index] as FixtureRecord;
  const changed = Object.entries({ ...record.attributes, ...attributes });
  const kept = changed.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...record, ...more, attributes: Object.fromEntries(kept) };
}

/** The signals of it alone. */
function changed(...[name, ...of]: Parameters<typeof recordOf>) {
  return signalsOf({ ...readFixture(name), records: [recordOf(name, ...of)] });
}

/** The signal of it. */
const signalOf = (...of: Parameters<typeof recordOf>) => changed(...of).signals[0];

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

const REPAIRED = { metadata: { usage_repaired: 'exclusive' } };
const CLAUDE = { tokens_in: 8_512, tokens_out: 300, cache_read_tokens: 8_000, cache_write_tokens: 500 };
const GEMINI = { tokens_in: 5_000, tokens_out: 1_000, cache_read_tokens: 2_000 };

it.each([
  // Claude Sonnet 4.5, caches told apart: $0.008811, reported or computed.
  ['claude-code', 0, CLAUDE, 8_811_000, 'reported'],
  ['claude-code', 1, { ...CLAUDE, latency_ms: 4_200 }, 8_811_000, 'computed'],
  ['openinference', 0, CLAUDE, 8_811_000, 'computed'],
  ['ai-sdk', 0, { ...CLAUDE, ...REPAIRED }, 8_811_000, 'computed'],
  ['github-copilot', 0, CLAUDE, 8_811_000, 'computed'],
  // gpt-5: in 12,000 of which cached 8,000, out 900: $0.015.
  ['codex', 0, {}, 15_000_000, 'computed'],
  ['semconv', 0, {}, 15_000_000, 'computed'],
  ['opencode', 0, {}, 15_000_000, 'computed'],
  ['litellm', 0, {}, 20_000_000, 'reported'],
  // gemini-2.5-pro: in 5,000 of which cached 2,000, out 400 and thoughts 600: $0.014.
  ['gemini-cli', 0, GEMINI, 14_000_000, 'computed'],
] as const)('of %s, signal %i has its golden price', (name, index, tokens, nusd, source) => {
  const signal = signalsFrom(name)[index];
  expect(signal).toMatchObject(tokens);
  expect(priceOf(signal)).toEqual([nusd, source]);
});

const STATUS = 'http.response.status_code';
const CACHED = { 'ai.usage.inputTokens': 5_000, 'ai.usage.cachedInputTokens': 2_183 };
const PARTS = { 'ai.usage.inputTokenDetails.noCacheTokens': 2_817 };
const ANTHROPIC = { 'ai.model.provider': 'anthropic.messages' };
const NO_PRICE = { tokens_in: 100, cache_read_tokens: 400, price: [null, 'unknown'] };
const OTHERS = {
  contradicting: { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.cache_read.input_tokens': 400 },
  tiers: { 'openai.request.service_tier': 'auto', 'openai.response.service_tier': 'flex' },
  failed: { [STATUS]: 200, 'event.name': 'codex.api_request', 'error.message': 'x' },
};

/** The fields of the signal of such a record; null where there is none. A price is that of the write path. */
it.each<[rule: string, name: string, index: number, attributes: Attributes, signal: object | null]>([
  ['thoughts count once, inside the output', 'qwen-code', 0, {}, { tokens_in: 13_472, tokens_out: 101 }],
  ['or beside it', 'qwen-code', 0, { total_token_count: 13_597 }, { tokens_in: 13_472, tokens_out: 125 }],
  ['so do tools', 'qwen-code', 0, { total_token_count: 13_607, tool_token_count: 10 }, { tokens_in: 13_482 }],
  ['no sum is right', 'qwen-code', 0, { total_token_count: 99_999 }, { usage_mismatch: 'total' }],
  ['a sum is right', 'qwen-code', 0, { total_token_count: 13_597 }, { usage_mismatch: undefined }],
  [
    'the AI SDK 5 leaves out what Anthropic cached',
    'ai-sdk',
    2,
    { ...CACHED, ...ANTHROPIC },
    { tokens_in: 7_183 },
  ],
  ['from 6 on it does not', 'ai-sdk', 2, { ...CACHED, ...ANTHROPIC, ...PARTS }, { tokens_in: 5_000 }],
  ['nor what OpenAI cached', 'ai-sdk', 2, CACHED, { tokens_in: 5_000, cache_read_tokens: 2_183 }],
  ['counts that contradict a dialect have no price', 'semconv', 1, OTHERS.contradicting, NO_PRICE],
  ['not of Codex either', 'codex', 2, { input_token_count: 100, cached_token_count: 400 }, NO_PRICE],
  ['a count that is missing is 0', 'claude-code', 1, { cache_read_tokens: undefined }, { tokens_in: 512 }],
  ['an output too', 'claude-code', 1, { output_tokens: undefined }, { tokens_out: 0 }],
  ['a speed is a tier', 'semconv', 1, { 'gen_ai.usage.speed': 'fast' }, { service_tier: 'fast' }],
  ['mostly there is none', 'semconv', 1, {}, { service_tier: undefined }],
  ['the tier of the answer goes before the request’s', 'semconv', 1, OTHERS.tiers, { service_tier: 'flex' }],
  ['Claude Code has a speed', 'claude-code', 1, { speed: 'fast' }, { service_tier: 'fast' }],
  ['which may be normal', 'claude-code', 1, { speed: 'normal' }, { service_tier: undefined }],
  ['Codex has a tier', 'codex', 2, { service_tier: 'priority' }, { service_tier: 'priority' }],
  ['truth is a value', 'claude-code', 5, { success: true }, { error: undefined }],
  ['or a text', 'claude-code', 5, { success: 'true' }, { error: undefined }],
  ['untruth is a value', 'claude-code', 5, { success: false }, { error: { code: expect.any(String) } }],
  ['or a text', 'claude-code', 5, { success: 'false' }, { error: { code: expect.any(String) } }],
  [
    'a cost of 0 was not reported',
    'claude-code',
    1,
    { cost_usd: 0, cost_usd_micros: 0 },
    { cost_usd: undefined },
  ],
  [
    'one in millionths was',
    'claude-code',
    1,
    { cost_usd: 0, cost_usd_micros: '8811' },
    { cost_usd: 0.008811 },
  ],
  ['a cost of 0 was not', 'litellm', 0, { 'litellm.cost.total': 0 }, { cost_usd: undefined }],
  [
    'a machine that slept has no latency',
    'claude-code',
    1,
    { duration_ms: 90_000_000 },
    { latency_ms: undefined },
  ],
  ['a blank name is none', 'semconv', 0, { 'user.email': '  ' }, { user_id: 'grace' }],
  ['nobody is called unknown', 'opencode', 1, { [FIELDS.user[0]]: 'unknown' }, { user_id: undefined }],
  ['a name has no blanks around it', 'opencode', 1, { [FIELDS.user[0]]: ' grace ' }, { user_id: 'grace' }],
  ['Codex fails from status 400 on', 'codex', 6, { [STATUS]: 400 }, { error: { code: '400' } }],
  ['without words', 'codex', 6, { [STATUS]: 500, 'error.message': undefined }, { error: { code: '500' } }],
  ['and not before', 'codex', 6, { [STATUS]: 399, 'error.message': undefined }, null],
  ['it failed later', 'semconv', 0, { [STATUS]: 200, 'error.type': 'late' }, { error: { code: 'late' } }],
  ['a tool of Codex that fails', 'codex', 9, { success: 'false' }, { error: { code: 'error' } }],
  ['and one that does not', 'codex', 9, {}, { error: undefined }],
  ['so did Codex', 'codex', 1, OTHERS.failed, { error: { code: 'error' } }],
  ['a status is a number', 'claude-code', 3, { status_code: 'undefined' }, { error: { code: 'error' } }],
  [
    'a long context is no model',
    'claude-code',
    1,
    { model: 'claude-opus-4-8[1m]' },
    { model: 'claude-opus-4-8' },
  ],
  ['not of a failure', 'claude-code', 3, { model: 'claude-opus-4-8[1m]' }, { model: 'claude-opus-4-8' }],
])('%s: %s, record %i with %j', (_, name, index, attributes, told) => {
  const signal = signalOf(name, index, attributes);
  const all = { ...(signal?.metadata as object), ...signal, price: signal && priceOf(signal) };
  const seen = Object.keys(told ?? {}).map((field) => [field, Reflect.get(all, field)]);
  expect(signal && Object.fromEntries(seen)).toEqual(told ?? undefined);
});

describe('values', () => {
  it('of tokens include the cached ones, also where a dialect leaves them out', () => {
    expect(signalsFrom('openllmetry')[0]).toMatchObject({ tokens_in: 17_000, ...REPAIRED });
    expect(signalsFrom('openinference')[0]?.metadata).not.toHaveProperty('usage_repaired');
  });

  it.each([
    ...FIELDS.cacheRead.map((name) => [name, 9, { tokens_in: 100, cache_read_tokens: 9 }] as const),
    ...FIELDS.cacheWrite.map((name) => [name, 8, { tokens_in: 100, cache_write_tokens: 8 }] as const),
    ...FIELDS.outputAudio.map((name) => [name, 3, { output_audio_tokens: 3 }] as const),
    ...FIELDS.outputImage.map((name) => [name, 0, { output_image_tokens: 0 }] as const),
    ...FIELDS.cacheWrite1h.map((name) => [name, 2, { cache_write_1h_tokens: 2 }] as const),
    ...FIELDS.webSearches.map((name) => [name, 4, { tool_uses: { web_search: 4 } }] as const),
    ...FIELDS.webFetches.map((name) => [name, 5, { tool_uses: { web_fetch: 5 } }] as const),
    ...FIELDS.region.map((name) => [name, 'us', { region: 'us' }] as const),
    ...FIELDS.tier.map((name) => [name, 'flex', { service_tier: 'flex' }] as const),
  ])('are read from %s', (name, value, told) => {
    expect(signalOf('semconv', 1, { [name]: value })).toMatchObject(told);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '-1', 'NaN', 'many', '9007199254740993', 1.5])(
    'that are %s reject their record alone, and are named without their value',
    (value) => {
      const records = [recordOf('claude-code', 1, { output_tokens: value }), recordOf('claude-code', 2, {})];
      const reading = signalsOf({ ...readFixture('claude-code'), records });
      expect(reading).toMatchObject({ records: 2, known: 2, rejected: 1 });
      expect(reading.reasons).toEqual([
        expect.stringMatching(/^output_tokens: must be an? (?:number from 0 to 2\^53|integer)$/),
      ]);
      expect(reading.signals).toHaveLength(1);
    },
  );

  it('that are no integers are named by their own attribute, not by the first of its kind', () => {
    const odd = { 'gen_ai.usage.input_tokens': undefined, 'gen_ai.usage.prompt_tokens': 1.5 };
    expect(changed('semconv', 0, odd).reasons).toEqual(['gen_ai.usage.prompt_tokens: must be an integer']);
  });
});

describe('time', () => {
  const RECORD = '1795316400000000000';
  const OBSERVED = '1795316460000000000';
  it.each([
    ['is the event’s', '2026-11-22T04:00:09.5+01:00', RECORD, OBSERVED, '2026-11-22T03:00:09.500Z'],
    ['else the observed one', 'yesterday', RECORD, OBSERVED, '2026-11-22T03:01:00.000Z'],
    ['else the record’s', '', RECORD, '0', '2026-11-22T03:00:00.000Z'],
    ['or missing where all are 0', '', '0', '0', undefined],
  ])('%s', (_, timestamp, timeUnixNano, observedTimeUnixNano, ts) => {
    const times = { timeUnixNano, observedTimeUnixNano };
    const { signals, reasons } = changed('claude-code', 1, { 'event.timestamp': timestamp }, times);
    expect(signals[0]?.ts).toBe(ts);
    expect(reasons).toEqual(ts ? [] : ['the record has no time']);
  });
});

describe('recognition', () => {
  it('goes by event name, whatever the service and the scope are called', () => {
    for (const name of ['claude-code', 'codex', 'gemini-cli']) {
      const fixture = readFixture(name);
      const moved = { ...fixture, scope: 'any', resource: { 'service.name': 'something-else' } };
      expect(signalsOf(moved).known).toBe(fixture.records.length);
    }
    const attributes = { model: 'm', 'session.id': 's' };
    const record = { attributes, timeUnixNano: '1795316400000000000', eventName: 'claude_code.api_request' };
    const { signals } = signalsOf({ kind: 'logs', scope: '', resource: {}, records: [record] });
    expect(signals).toMatchObject([{ adapter: 'claude-code', model: 'm' }]);
  });

  it('never fails for events that nobody knows', () => {
    const names = ['claude_code.new_thing', 'codex.', 'gemini_cli.constructor', 'other'];
    const records = names.map((eventName) => ({ eventName, attributes: {} }));
    const reading = signalsOf({ kind: 'logs', scope: '', resource: {}, records });
    expect(reading).toMatchObject({ records: 4, known: 3, rejected: 0, signals: [] });
  });

  it.each([
    ['traces', 'x', { name: 'claude_code.llm_request' }],
    ['traces', 'codex_exec', { name: 'handle_responses' }],
    ['traces', 'gemini-cli', { name: 'llm_call' }],
    ['traces', 'qwen-code', { name: 'llm_call' }],
    ['logs', '', { eventName: 'gen_ai.client.inference.operation.details' }],
  ] as const)('counts nothing of what repeats a tool’s events or spans: %s of %j %j', (kind, scope, own) => {
    const records = [recordOf('semconv', 1, {}, own)];
    expect(signalsOf({ kind, scope, resource: {}, records })).toMatchObject({ known: 1, signals: [] });
  });
});

describe('what is no call, and no user', () => {
  it('a completed event of Codex without token counts is no call', () => {
    const counted = recordOf('codex', 2, {});
    const counts = Object.keys(counted.attributes).filter((key) => key.endsWith('_count'));
    const raw = recordOf('codex', 2, Object.fromEntries(counts.map((key) => [key, undefined])));
    const { signals, known } = signalsOf({ ...readFixture('codex'), records: [raw, counted] });
    expect(known).toBe(2);
    expect(signals).toMatchObject([{ tokens_in: 12_000, tokens_out: 900 }]);
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
    const fixture = readFixture('litellm');
    const BY_ID = 'metadata.user_api_key_user_id';
    const verified = fixture.records[0]?.attributes[BY_ID];
    const userOf = (own: Attributes, resource = fixture.resource) => {
      const record = recordOf('litellm', 0, { 'user.id': undefined, [BY_ID]: undefined, ...own });
      return signalsOf({ ...fixture, resource, records: [record] }).signals[0]?.user_id;
    };
    const written = { [name]: 'mallory' };
    const byId = { [BY_ID]: verified };
    expect(userOf({ ...written, ...byId }, written)).toBe('grace');
    const byEmail = { ...byId, 'metadata.user_api_key_user_email': 'grace@example.org' };
    expect(userOf({ ...written, ...byEmail }, written)).toBe('grace@example.org');
    expect(userOf(written, written)).toBeUndefined();
  });

  it.each<[string, Attributes, [number | null, string]]>([
    ['that reports no tokens is unpriced', {}, [null, 'unknown']],
    ['that failed is not', { 'error.type': 'timeout' }, [0, 'computed']],
    // One count alone, under any of its names, is a report.
    ...[...FIELDS.input, ...FIELDS.output].map((name): [string, Attributes, [number, string]] => [
      `that reports ${name} is not`,
      { [name]: 0 },
      [0, 'computed'],
    ]),
  ])('a call %s', (_, told, price) => {
    const { attributes } = recordOf('semconv', 0, {});
    const counts = Object.keys(attributes).filter((key) => key.includes('.usage.'));
    const none = Object.fromEntries(counts.map((key) => [key, undefined]));
    expect(priceOf(signalOf('semconv', 0, { ...none, ...told }))).toEqual(price);
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

  it.each([
    ['gemini-cli', 5, { decision: 'reject' }, 'escalate/block/user'],
    // It also sends it when nobody was asked.
    ['gemini-cli', 5, { decision: 'accept' }, undefined],
    ['qwen-code', 1, { decision: 'accept' }, 'escalate/allow/user'],
    ...[
      'approved',
      'approved_execpolicy_amendment',
      'approved_mcp_policy_amendment',
      'network_policy_amendment',
    ].map((decision) => ['codex', 11, { decision }, 'escalate/allow/user'] as const),
    ...['denied', 'timed_out', 'abort'].map(
      (decision) => ['codex', 11, { decision }, 'escalate/block/user'] as const,
    ),
    ['codex', 11, { decision: 'denied', source: 'AutomatedReviewer' }, 'deny/block/reviewer'],
    ['codex', 11, { decision: 'approved', source: 'Config' }, undefined],
    ['codex', 11, { decision: 'unheard_of' }, undefined],
  ] as const)('of %s, record %i with %j, are %s', (name, index, decided, told) => {
    const found = changed(name, index, decided).signals.flatMap(({ intervention }) => intervention ?? []);
    expect(found.map(({ verdict, action, source }) => `${verdict}/${action}/${source}`)).toEqual(
      told === undefined ? [] : [told],
    );
  });
});

describe('ids', () => {
  it('are the span’s own where an answer’s is so short that it repeats', () => {
    expect(signalsFrom('semconv')[2]?.id).toBe('4bf92f3577b34da6a3ce929d0e0e4736:000000000000a003');
  });

  it('are hashed where the tool’s are too long', () => {
    expect(signalOf('claude-code', 1, { request_id: 'r'.repeat(300) })?.id).toMatch(/^[\w-]{32}$/);
  });

  it('reject a span that has none', () => {
    const records = [recordOf('semconv', 0, {}), recordOf('semconv', 1, {}, { spanId: '' })];
    const reading = signalsOf({ ...readFixture('semconv'), records });
    expect(reading).toMatchObject({ rejected: 1, records: 2 });
  });
});

it('the tokens of Claude Code’s fixture are the same when opencode’s plugin mimics it', () => {
  const fixture = readFixture('claude-code');
  const mimicked = signalsOf({ ...fixture, scope: '@devtheops/opencode-plugin-otel' });
  expect(mimicked.signals).toEqual(signalsFrom('claude-code'));
});
