import { expect, it } from 'vitest';
import { readOtlp } from './fixtures.ts';
import { encodeProtobuf, type FixtureRecord, requestOf } from './otlp-messages.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const LANGCHAIN = 'openinference.instrumentation.langchain';
const OPENAI = 'openinference.instrumentation.openai';
const SDK = 'com.anthropic.sdk.python';

interface Call {
  scope?: string;
  /** The last digit of the span's id, and of its parent's. */
  at: number;
  in?: number;
  attributes?: FixtureRecord['attributes'];
  /** The digit that its trace's id is made of. */
  trace?: string;
  /** Seconds in which it ran. */
  ran?: [number, number];
}

function idOf(at: number): string {
  return `000000000000b${String(at).padStart(3, '0')}`;
}

/** The request of a list of spans: a call of gpt-5 with 100 tokens in and 10 out unless they say otherwise. */
function send(calls: readonly Call[], traceId = TRACE) {
  const owners = calls.map(({ scope = OPENAI, at, in: parent, attributes = {}, trace, ran = [1, 2] }) => {
    const record = {
      traceId: trace?.repeat(32) ?? traceId,
      spanId: idOf(at),
      ...(parent === undefined ? {} : { parentSpanId: idOf(parent) }),
      startTimeUnixNano: `${1_795_316_400 + ran[0]}000000000`,
      endTimeUnixNano: `${1_795_316_400 + ran[1]}000000000`,
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'gpt-5',
        'llm.token_count.prompt': 100,
        'llm.token_count.completion': 10,
        ...attributes,
      },
    };
    return requestOf({ kind: 'traces', scope, resource: {}, records: [record] }).resourceSpans as object[];
  });
  const request = { resourceSpans: owners.flat() };
  const read = readOtlp(Buffer.from(JSON.stringify(request)), 'traces', 'json');
  expect(readOtlp(encodeProtobuf('traces', request), 'traces', 'protobuf')).toEqual(read);
  return read.signals;
}

const NOTHING = { 'llm.token_count.prompt': '', 'llm.token_count.completion': '' };
const OUTER = { scope: LANGCHAIN, at: 1 };

it.each([
  ['inner first', [{ at: 2, in: 1 }, OUTER]],
  ['outer first', [OUTER, { at: 2, in: 1 }]],
])('a call that two instrumentations report counts once, %s', (_, calls) => {
  expect(send(calls)).toMatchObject([{ id: `${TRACE}:${idOf(2)}`, tokens_in: 100, tokens_out: 10 }]);
});

it('a call that three instrumentations report counts once, with all that they know of it', () => {
  const sdk = {
    'openinference.span.kind': '',
    'llm.model_name': '',
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': 'gpt-5-2025-08-07',
    'gen_ai.response.id': 'resp_0123456789abcdef',
  };
  const signals = send([
    { at: 3, in: 2, scope: SDK, attributes: sdk },
    { at: 2, in: 1, attributes: { 'llm.cost.total': 0.5 } },
    { ...OUTER, attributes: { 'user.id': 'grace', 'session.id': 's-1', 'project.id': 'shop' } },
  ]);
  expect(signals).toMatchObject([
    {
      id: 'resp_0123456789abcdef',
      model: 'gpt-5-2025-08-07',
      user_id: 'grace',
      project_id: 'shop',
      cost_usd: 0.5,
      metadata: { client_session_id: 's-1' },
    },
  ]);
});

it('two equal calls count twice, beside each other or in a span that repeats one of them', () => {
  expect(
    send([
      { at: 2, in: 9 },
      { at: 3, in: 9, scope: SDK },
    ]),
  ).toHaveLength(2);
  expect(send([{ at: 2, in: 1 }, { at: 3, in: 1 }, OUTER])).toHaveLength(2);
});

it.each<[string, Call]>([
  ['other counts', { at: 2, in: 1, attributes: { 'llm.token_count.completion': 11 } }],
  ['another model', { at: 2, in: 1, attributes: { 'llm.model_name': 'gpt-5-mini' } }],
  ['the same instrumentation', { at: 2, in: 1, scope: LANGCHAIN }],
  ['a failure', { at: 2, in: 1, attributes: { 'error.type': 'overloaded', ...NOTHING } }],
  ['a span between them', { at: 2, in: 5 }],
])('a call in another counts too when it has %s', (_, inner) => {
  expect(send([inner, OUTER])).toHaveLength(2);
});

it('a call in a span of another trace counts too', () => {
  const [one, other] = ['a', 'b'].map((digit) => send([{ at: 2, in: 1 }], digit.repeat(32)));
  expect(one?.[0]?.id).not.toBe(other?.[0]?.id);
});

it('a failure that two instrumentations report is one error, also where one names no model', () => {
  const attributes = { 'error.type': 'overloaded', ...NOTHING };
  for (const inner of [attributes, { ...attributes, 'llm.model_name': '' }])
    expect(
      send([
        { at: 2, in: 1, attributes: inner },
        { ...OUTER, attributes },
      ]),
    ).toMatchObject([{ model: 'gpt-5', error: { code: 'overloaded' } }]);
});

it('a call in one of LangChain’s by its time counts once, whatever their traces', () => {
  const outer: Call = { ...OUTER, trace: 'a', ran: [1, 9] };
  const inner: Call = { at: 2, trace: 'b', ran: [2, 8] };
  for (const calls of [
    [inner, outer],
    [outer, inner],
  ])
    expect(send(calls)).toHaveLength(1);
  const parallel: Call[] = [
    { ...outer, at: 3, ran: [3, 7] },
    { ...inner, at: 4, ran: [4, 6] },
  ];
  expect(send([outer, inner, ...parallel])).toHaveLength(2);
  for (const ran of [
    [1, 8],
    [2, 9],
    [0, 5],
    [10, 11],
  ] as [number, number][])
    expect(send([outer, { ...inner, ran }])).toHaveLength(2);
  expect(send([{ ...outer, scope: SDK }, inner])).toHaveLength(2);
});

it('spans with one id of the provider are one call, whatever they count', () => {
  const attributes = { 'gen_ai.response.id': 'msg_0123456789abcdef' };
  const outer: Call = { ...OUTER, attributes: { ...attributes, 'llm.token_count.completion': 11 } };
  expect(send([outer, { at: 2, in: 1, attributes }])).toMatchObject([{ tokens_out: 10 }]);
});

it('a span that comes twice in a request repeats nothing twice', () => {
  expect(send([OUTER, OUTER, { at: 2, in: 1 }, { at: 2, in: 1 }])).toHaveLength(1);
});

it('counts that only one of the two reports are the call’s', () => {
  const [inner, outer] = [{ at: 2, in: 1 }, OUTER];
  for (const calls of [
    [{ ...inner, attributes: NOTHING }, outer],
    [inner, { ...outer, attributes: NOTHING }],
  ])
    expect(send(calls)).toMatchObject([{ tokens_in: 100, tokens_out: 10 }]);
});

it('spans in a ring, or in themselves, end', () => {
  expect(send([{ at: 1, in: 1 }])).toHaveLength(1);
  expect(
    send([
      { at: 1, in: 2 },
      { at: 2, in: 1, scope: SDK },
      { at: 3, in: 1, scope: SDK },
    ]).length,
  ).toBeLessThan(4);
});
