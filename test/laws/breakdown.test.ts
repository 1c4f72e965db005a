import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { anyCall } from '../support/random-calls.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;
const own = await fixture({ clock: NOW });
const { ctx, clock, ask, send } = own;

let users = 0;

/** Records signals as one session of a user of its own, and returns its id. */
async function record(signals: readonly object[]): Promise<string> {
  users += 1;
  const posted = signals.map((signal, at) =>
    makeSignal({ ts: clock.now() - at * 1_000, user_id: `user-${users}`, ...signal }),
  );
  const { results } = await ask('/api/v1/signals', { signals: posted });
  const [id, ...more] = new Set<string>(results.map((result: { session_id: string }) => result.session_id));
  expect(more).toEqual([]);
  return id ?? '';
}

const nusd = (money: string) => BigInt(money.replace('.', ''));
const total = (costs: string[]) => costs.reduce((sum, cost) => sum + nusd(cost), 0n);
const costsOf = (rows: { cost: string }[]) => rows.map(({ cost }) => cost);

/** Checks that each table sums to what the session has counted, and returns the answer. */
async function expectExact(id: string) {
  const session = await sessionRows(ctx).findOne({ _id: id });
  const body = await ask(`/api/v1/sessions/${id}/breakdown`);
  expect(nusd(body.cost)).toBe(BigInt(session?.cost_nusd ?? -1));
  expect(total(Object.values(body.parts))).toBe(nusd(body.cost));
  for (const rows of [body.by_tool, body.by_model]) {
    const sum = (name: string) =>
      rows.reduce((all: number, row: Record<string, number>) => all + (row[name] ?? 0), 0);
    expect(total(costsOf(rows))).toBe(nusd(body.cost));
    expect(sum('calls')).toBe((session?.signal_count ?? 0) - (session?.intervention_count ?? 0));
    expect(sum('errors')).toBe(session?.error_count);
    expect([sum('tokens_in'), sum('tokens_out')]).toEqual([session?.tokens_in, session?.tokens_out]);
    const named = rows
      .filter((row: { rest?: true }) => !row.rest)
      .map(({ cost }: { cost: string }) => nusd(cost));
    expect(named).toEqual(named.toSorted((a: bigint, b: bigint) => (a > b ? -1 : a < b ? 1 : 0)));
  }
  return body;
}

const withTool = fc.record({
  call: anyCall,
  tool_name: fc.option(fc.constantFrom('run_tests', 'edit', 'read'), { nil: undefined }),
});

const gate = { kind: 'tool_permission', verdict: 'allow', action: 'allow', source: 'config' };
const free = { tokens_in: 0, tokens_out: 0, model: undefined, provider: undefined };
const intervention = { type: 'intervention', intervention: gate, ...free };

describe('the breakdown of a session', () => {
  it('sums to its cost by part, by tool and by model, to the nanodollar, for any calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(withTool, { minLength: 1, maxLength: 12 }), async (calls) => {
        const signals = calls.map(({ call, tool_name }) => ({ ...call, provider: undefined, tool_name }));
        await expectExact(await record(signals));
      }),
      { numRuns: 40 },
    );
  });

  it('tells input, cache and output apart, and what each tool and model took', async () => {
    const claude = { model: 'claude-sonnet-4-5', provider: 'anthropic' };
    const unheard = { model: 'unheard-of', provider: undefined, tokens_out: 0 };
    const id = await record([
      { ...claude, tokens_in: 8_512, cache_read_tokens: 8_000, cache_write_tokens: 500, tokens_out: 300 },
      { ...claude, tokens_in: 1_000, tokens_out: 0, tool_name: 'run_tests', error: { code: 'timeout' } },
      { ...unheard, tokens_in: 5, cost_usd: 0.5, tool_name: 'run_tests' },
      { ...unheard, tokens_in: 7 },
    ]);
    const body = await expectExact(id);
    expect(body).toEqual({
      cost: '0.511811000',
      parts: {
        input: '0.003036000',
        cache_read: '0.002400000',
        cache_write: '0.001875000',
        output: '0.004500000',
        request: '0.000000000',
        unsplit: '0.500000000',
      },
      by_tool: [
        { tool_name: 'run_tests', calls: 2, errors: 1, tokens_in: 1_005, tokens_out: 0, cost: '0.503000000' },
        { tool_name: null, calls: 2, errors: 0, tokens_in: 8_519, tokens_out: 300, cost: '0.008811000' },
      ],
      by_model: [
        { model: 'unheard-of', calls: 2, errors: 0, tokens_in: 12, tokens_out: 0, cost: '0.500000000' },
        { model: claude.model, calls: 2, errors: 1, tokens_in: 9_512, tokens_out: 300, cost: '0.011811000' },
      ],
    });
  });

  it('counts what an intervention cost, and shows no row for one that cost nothing', async () => {
    const body = await expectExact(
      await record([
        { tool_name: 'edit', cost_usd: 0.25 },
        { ...intervention, tool_name: 'guard', cost_usd: 0.125 },
        { ...intervention, tool_name: 'free' },
      ]),
    );
    expect(
      body.by_tool.map((row: { tool_name: string; calls: number }) => [row.tool_name, row.calls]),
    ).toEqual([
      ['edit', 1],
      ['guard', 0],
    ]);
  });

  it('shows the 100 most expensive tools and one row with the rest', async () => {
    const calls = Array.from({ length: 130 }, (_, at) => ({ tool_name: `tool-${at}`, cost_usd: at / 100 }));
    const { by_tool } = await expectExact(await record(calls));
    expect(by_tool).toHaveLength(101);
    expect(by_tool[0]).toMatchObject({ tool_name: 'tool-129', cost: '1.290000000' });
    expect(by_tool.at(-1)).toEqual({
      tool_name: null,
      calls: 30,
      errors: 0,
      tokens_in: 3_000,
      tokens_out: 300,
      cost: '4.350000000',
      rest: true,
    });
  });

  it('still sums to the cost when signals of an old session are no longer kept', async () => {
    const id = await record([
      { cost_usd: 1 },
      { ...intervention, cost_usd: 8 },
      { cost_usd: 2, tool_name: 'edit' },
      { ...intervention, cost_usd: 16 },
      { cost_usd: 4, error: { code: 'x' } },
    ]);
    const oldestFirst = await signalRows(ctx).find({ session_id: id }).sort({ ts: 1 }).toArray();
    clock.advance(400 * DAY_MS);
    const rests: unknown[] = [];
    for (const { _id } of oldestFirst) {
      await signalRows(ctx).deleteOne({ _id });
      const { by_tool, parts } = await expectExact(id);
      const { rest, calls, errors, cost } = by_tool.at(-1);
      rests.push([rest, calls, errors, cost, parts.unsplit]);
    }
    clock.set(NOW);
    // An intervention has no list price, whether it is kept or not.
    expect(rests).toEqual([
      [true, 1, 1, '4.000000000', '28.000000000'],
      [true, 1, 1, '20.000000000', '28.000000000'],
      [true, 2, 1, '22.000000000', '30.000000000'],
      [true, 2, 1, '30.000000000', '30.000000000'],
      [true, 3, 1, '31.000000000', '31.000000000'],
    ]);
  });

  it('is not there for another organization or user, and takes no parameter', async () => {
    const id = await record([{}]);
    const path = `/api/v1/sessions/${id}/breakdown`;
    for (const key of [(await own.tenant()).key, await own.keyOf('bob')])
      expect((await send(path, undefined, { key })).body).toMatchObject({ status: 404, code: 'not_found' });
    const key = await own.keyOf(`user-${users}`, ['usage:read']);
    expect((await send(path, undefined, { key })).status).toBe(200);
    expect((await send(`${path}?x=1`)).status).toBe(400);
    expect((await send('/api/v1/sessions/ses_x/breakdown')).status).toBe(404);
  });
});
