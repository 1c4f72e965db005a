import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  contextsOfHistory,
  type ToldPlace,
} from '../../../packages/governor/src/context/history-contexts.ts';
import { importFolder } from '../../../packages/governor/src/import-history.ts';
import { toolNamed } from '../../../packages/governor/src/readers/tools.ts';
import { sync } from '../../../packages/governor/src/sync.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { contextRows } from '../../../shared/wings/work/attribution/model.ts';
import { readFixture } from '../../shared/core/calls/adapters/fixtures.ts';
import { bytesOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import {
  api,
  claudeLine,
  clock,
  codexLine,
  codexStep,
  GOLDEN_USAGE,
  home,
  type Json,
  NOW,
  setUpHistory,
  target,
  tenant,
  writeLines,
} from './history.ts';

const MINUTE = 60_000;
const SHOP = 'github.com/acme/shop';

setUpHistory();
const run = (name: string) => importFolder(toolNamed(name), home.folder, { ...target(), nowMs: clock.now() });

/** A checkout on this machine with a remote whose address has a credential. */
function makeCheckout(): string {
  const folder = join(home.folder, 'shop');
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', 'https://ada:secret@github.com/Acme/shop.git');
  return folder;
}

/** How many calls each branch has, as usage answers. */
async function branches(): Promise<Record<string, number>> {
  const range = `from=${new Date(NOW - 2 * 86_400_000).toISOString()}`;
  const { body } = await api.call(`/api/v1/usage?${range}&group_by=branch`, { key: tenant.key });
  const groups = body.groups as { key: { branch: string | null }; signals: number }[];
  return Object.fromEntries(
    groups.filter(({ signals }) => signals > 0).map(({ key, signals }) => [key.branch, signals]),
  );
}

const stored = () => contextRows(api.ctx).find({ org_id: tenant.orgId }).sort({ ts: 1 }).toArray();
const transcript = (name = 'session-1') => join(home.folder, 'projects', 'p', `${name}.jsonl`);
/** A call of Claude Code so many minutes ago. */
const said = (minutes: number, id: string, cwd: string, gitBranch?: string) =>
  claudeLine(NOW - minutes * MINUTE, id, GOLDEN_USAGE, { cwd, ...(gitBranch ? { gitBranch } : {}) });

describe('the places in the history of Claude Code', () => {
  it('are sent as changes only and before the calls, and a branch without a repository is dropped', async () => {
    const shop = makeCheckout();
    writeLines(transcript(), [
      said(9, 'm1', shop, 'main'),
      said(8, 'm2', shop, 'main'),
      said(7, 'm3', shop, 'cart'),
      said(6, 'm4', '/nowhere/shop', 'elsewhere'),
      said(5, 'm5', shop, 'HEAD'),
    ]);
    const left_out = { 'branch only: its folder is in no repository of this machine': 1 };
    expect(await run('claude-code')).toMatchObject({ accepted: 5, contexts: 3, left_out });
    expect(await stored()).toMatchObject([
      {
        place: { repository: SHOP, branch: { text: 'main' } },
        user_id: 'ada',
        client_session_id: 'session-1',
      },
      { place: { repository: SHOP, branch: { text: 'cart' } } },
      { place: { repository: SHOP } },
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
    await fetch(`${api.url}/otlp/v1/logs`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' },
      body: bytesOf({ ...fixture, records: fixture.records.slice(1, 2) }, 'json'),
    });
    expect(await branches()).toEqual({ null: 1 });
    const sessionId = String(fixture.records[1]?.attributes['session.id']);
    const same = { requestId: 'req_011CTabcdefgh', sessionId, cwd: makeCheckout(), gitBranch: 'cart' };
    writeLines(transcript(), [claudeLine(Date.parse('2026-11-22T03:00:02Z'), 'msg_1', GOLDEN_USAGE, same)]);
    const sent = await signalRows(api.ctx).findOne({ org_id: tenant.orgId });
    const own = { ...target(), userId: sent?.user_id, nowMs: clock.now() };
    expect(await importFolder(toolNamed('claude-code'), home.folder, own)).toMatchObject({
      duplicates: 1,
      contexts: 1,
    });
    expect(await branches()).toEqual({ cart: 1 });
  });

  it('that turn up late between others are told, though the session was told that place last, and so is the return', async () => {
    const shop = makeCheckout();
    const told = new Map<string, ToldPlace>();
    const calls = (...lines: [minutes: number, branch: string][]) =>
      lines.map(([minutes, branch]) => ({
        signal: {
          id: `${minutes}`,
          ts: new Date(NOW - minutes * MINUTE).toISOString(),
          adapter: 'claude-code',
          metadata: { client_session_id: 's' },
        },
        cwd: shop,
        branch,
      }));
    const found = async (...lines: [number, string][]) => {
      const { contexts } = await contextsOfHistory(calls(...lines) as never, { userId: undefined, told });
      return contexts.map(({ ts, branch }) => [(NOW - Date.parse(ts)) / MINUTE, branch]);
    };
    expect(await found([9, 'main'], [5, 'cart'])).toEqual([
      [9, 'main'],
      [5, 'cart'],
    ]);
    expect(await found([7, 'cart'], [6, 'main'])).toEqual([
      [7, 'cart'],
      [6, 'main'],
    ]);
    expect(await found([2, 'main']), 'a return from the newest place').toEqual([[2, 'main']]);
    expect(await found([1, 'main']), 'no change').toEqual([]);
  });
});

it('the place in the history of Codex is that of its session, by the address that it names', async () => {
  const git = { branch: 'cart', repository_url: 'git@github.com:acme/shop.git' };
  writeLines(join(home.folder, 'sessions', 'rollout-1-a.jsonl'), [
    codexLine(NOW - 9_000, 'session_meta', { id: 'a', cwd: '/nowhere/shop', git }),
    codexLine(NOW - 8_000, 'turn_context', { model: 'gpt-5', cwd: '/nowhere/shop' }),
    codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]),
    codexStep(NOW - 6_000, [12_000, 8_000, 900], [24_000, 16_000, 1_800]),
  ]);
  expect(await run('codex')).toMatchObject({ accepted: 2, contexts: 1 });
  expect(await branches()).toEqual({ cart: 2 });
  expect(await stored()).toMatchObject([{ place: { repository: SHOP, branch: { text: 'cart' } } }]);
});

describe('sync', () => {
  it('tells the places of what is new, and those that could not be sent while the api was away', async () => {
    const shop = makeCheckout();
    writeLines(transcript(), [said(9, 'm1', shop, 'main')]);
    const reports: Json[] = [];
    let isAway = true;
    /** Between two rounds: the api comes back, then there is more to send. */
    const pause = async () => {
      if (reports.length === 1) isAway = false;
      if (reports.length === 2)
        writeLines(transcript('later'), [said(5, 'm2', shop, 'main'), said(4, 'm3', shop, 'cart')]);
      if (reports.length === 3) throw new Error('enough');
    };
    const options = {
      ...target(),
      get api() {
        return isAway ? 'http://127.0.0.1:1' : api.url;
      },
      tools: [{ tool: toolNamed('claude-code'), folders: [join(home.folder, 'projects')] }],
      cursorFile: join(home.folder, 'state', 'sync.json'),
      now: () => Date.now() + 31_000,
      everyMs: 1_000,
      once: false,
      pause,
      onReport: (_: string, report: object) => reports.push({ ...report }),
      onAway: (message: string) => reports.push({ away: message }),
    };
    await expect(sync(options)).rejects.toThrow('enough');
    expect(reports).toMatchObject([
      { away: expect.stringContaining('cannot be reached') },
      { contexts: 1 },
      { contexts: 1 },
    ]);
    expect(await branches()).toEqual({ main: 2, cart: 1 });
  });
});
