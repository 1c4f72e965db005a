import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  contextsOfHistory,
  type ToldPlace,
} from '../../../packages/governor/src/context/history-contexts.ts';
import { contextRows } from '../../../shared/wings/work/attribution/model.ts';
import { readFixture } from '../../shared/core/calls/adapters/fixtures.ts';
import {
  claudeLine,
  codexLine,
  codexStep,
  GOLDEN_USAGE,
  historyFixture,
  type Json,
  NOW,
  rounds,
} from './history.ts';

const MINUTE = 60_000;
const SHOP = 'github.com/acme/shop';
const own = await historyFixture();
const { run, write } = own;

/** A checkout on this machine with a remote whose address has a credential. */
function makeCheckout(): string {
  const folder = own.inHome('shop');
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', 'https://ada:secret@github.com/Acme/shop.git');
  return folder;
}

/** How many calls each branch has, as usage answers. */
async function branches(): Promise<Record<string, number>> {
  const { groups } = await own.ask('/api/v1/usage?from=2026-11-20T12:00:00Z&group_by=branch');
  const counted = groups as { key: { branch: string | null }; signals: number }[];
  return Object.fromEntries(
    counted.filter(({ signals }) => signals > 0).map(({ key, signals }) => [key.branch, signals]),
  );
}

const stored = () => contextRows(own.ctx).find({ org_id: own.orgId }).sort({ ts: 1 }).toArray();
const TRANSCRIPT = 'projects/p/session-1.jsonl';
/** A call of Claude Code so many minutes ago. */
const said = (minutes: number, id: string, cwd: string, gitBranch?: string) =>
  claudeLine(NOW - minutes * MINUTE, id, GOLDEN_USAGE, { cwd, ...(gitBranch ? { gitBranch } : {}) });

describe('the places in the history of Claude Code', () => {
  it('are sent as changes only and before the calls, and a branch without a repository is dropped', async () => {
    const shop = makeCheckout();
    write(
      TRANSCRIPT,
      said(9, 'm1', shop, 'main'),
      said(8, 'm2', shop, 'main'),
      said(7, 'm3', shop, 'cart'),
      said(6, 'm4', '/nowhere/shop', 'elsewhere'),
      said(5, 'm5', shop, 'HEAD'),
    );
    const left_out = { 'branch only: its folder is in no repository of this machine': 1 };
    expect(await run('claude-code')).toMatchObject({ accepted: 5, contexts: 3, left_out });
    const place = (branch?: string) => ({
      repository: SHOP,
      ...(branch ? { branch: { text: branch } } : {}),
    });
    expect(await stored()).toMatchObject([
      { place: place('main'), user_id: 'ada', client_session_id: 'session-1' },
      { place: place('cart') },
      { place: place() },
    ]);
    // The call without a repository counts, where its session was last.
    expect(await branches()).toEqual({ main: 2, cart: 2, null: 1 });
    expect(JSON.stringify(await stored())).not.toMatch(/secret|nowhere|elsewhere/);
    expect(await run('claude-code')).toMatchObject({ accepted: 0, duplicates: 5 });
    expect(await stored()).toHaveLength(3);
    expect(await branches()).toEqual({ main: 2, cart: 2, null: 1 });
  });

  it('reach calls that telemetry has told already', async () => {
    const fixture = readFixture('claude-code');
    await own.tell({ ...fixture, records: fixture.records.slice(1, 2) });
    expect(await branches()).toEqual({ null: 1 });
    const sessionId = String(fixture.records[1]?.attributes['session.id']);
    const same = { requestId: 'req_011CTabcdefgh', sessionId, cwd: makeCheckout(), gitBranch: 'cart' };
    write(TRANSCRIPT, claudeLine(Date.parse('2026-11-22T03:00:02Z'), 'msg_1', GOLDEN_USAGE, same));
    const [sent] = await own.stored();
    const report = await run('claude-code', '', { userId: sent?.user_id });
    expect(report).toMatchObject({ duplicates: 1, accepted: 0, contexts: 1 });
    expect(await branches()).toEqual({ cart: 1 });
  });

  it('that turn up late between others are told, though the session was told that place last, and so is the return', async () => {
    const shop = makeCheckout();
    const told = new Map<string, ToldPlace>();
    const metadata = { client_session_id: 's' };
    const found = async (...lines: [minutes: number, branch: string][]) => {
      const calls = lines.map(([minutes, branch]) => {
        const ts = new Date(NOW - minutes * MINUTE).toISOString();
        return { signal: { id: `${minutes}`, ts, adapter: 'claude-code', metadata }, cwd: shop, branch };
      });
      const { contexts } = await contextsOfHistory(calls as never, { userId: undefined, told });
      return contexts.map(({ ts, branch }) => `${(NOW - Date.parse(ts)) / MINUTE} ${branch}`);
    };
    expect(await found([9, 'main'], [5, 'cart'])).toEqual(['9 main', '5 cart']);
    expect(await found([7, 'cart'], [6, 'main'])).toEqual(['7 cart', '6 main']);
    expect(await found([2, 'main']), 'a return from the newest place').toEqual(['2 main']);
    expect(await found([1, 'main']), 'no change').toEqual([]);
  });
});

it('the place in the history of Codex is that of its session, by the address that it names', async () => {
  const git = { branch: 'cart', repository_url: 'git@github.com:acme/shop.git' };
  write(
    'sessions/rollout-1-a.jsonl',
    codexLine(NOW - 9_000, 'session_meta', { id: 'a', cwd: '/nowhere/shop', git }),
    codexLine(NOW - 8_000, 'turn_context', { model: 'gpt-5', cwd: '/nowhere/shop' }),
    codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]),
    codexStep(NOW - 6_000, [12_000, 8_000, 900], [24_000, 16_000, 1_800]),
  );
  expect(await run('codex')).toMatchObject({ accepted: 2, contexts: 1 });
  expect(await branches()).toEqual({ cart: 2 });
  expect(await stored()).toMatchObject([{ place: { repository: SHOP, branch: { text: 'cart' } } }]);
});

it('sync tells the places of what is new, and those that could not be sent while the api was away', async () => {
  const shop = makeCheckout();
  write(TRANSCRIPT, said(9, 'm1', shop, 'main'));
  const reports: Json[] = [];
  let api = 'http://127.0.0.1:1';
  // An api that is away is asked several times in a round, with a pause before each.
  const pause = async () => {
    if (reports.length === 1) ({ url: api } = own.api);
    if (reports.length === 2)
      write('projects/p/later.jsonl', said(5, 'm2', shop, 'main'), said(4, 'm3', shop, 'cart'));
    if (reports.length === 3) throw new Error('enough');
  };
  const options = {
    ...rounds(),
    pause,
    get api() {
      return api;
    },
  };
  await expect(own.look(reports, { 'claude-code': ['projects'] }, options)).rejects.toThrow('enough');
  const away = { away: expect.stringContaining('cannot be reached') };
  expect(reports).toMatchObject([away, { contexts: 1 }, { contexts: 1 }]);
  expect(await branches()).toEqual({ main: 2, cart: 1 });
});
