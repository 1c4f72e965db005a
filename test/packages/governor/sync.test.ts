import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readSent, writeSent } from '../../../packages/governor/src/cursor.ts';
import type { SyncOptions } from '../../../packages/governor/src/sync.ts';
import { listen } from '../../support/temporary.ts';
import {
  claudeLine,
  codexLine,
  codexStep,
  GOLDEN,
  GOLDEN_USAGE,
  historyFixture,
  type Json,
  NOW,
  rounds,
} from './history.ts';

const own = await historyFixture();
const { inHome, totals, write } = own;

describe('sync', () => {
  const TRANSCRIPT = 'projects/p/s.jsonl';
  const cursorFile = () => inHome('state', 'sync.json');
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const look = (reports: Json[], more: Partial<SyncOptions> = {}) =>
    own.look(reports, { 'claude-code': ['projects'] }, more);

  it('sends what is new, keeps a cursor, and sends nothing again', async () => {
    const reports: Json[] = [];
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'));
    await look(reports);
    await look(reports);
    expect(reports).toMatchObject([{ tool: 'claude-code', accepted: 1 }]);
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'), claudeLine(NOW, 'msg_2'));
    await look(reports);
    expect(reports[1]).toMatchObject({ accepted: 1, duplicates: 1 });
    expect((await totals()).count).toBe(2);
  });

  it('waits until a file is still: the first line of an answer is not the whole of it', async () => {
    const reports: Json[] = [];
    let offsetMs = 0;
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1', { ...GOLDEN_USAGE, output_tokens: 1 }));
    const going = rounds(
      () => write(TRANSCRIPT, claudeLine(NOW, 'msg_1')),
      () => {
        offsetMs = 31_000;
      },
    );
    await expect(look(reports, { ...going, now: () => Date.now() + offsetMs })).rejects.toThrow('enough');
    expect(reports).toHaveLength(1);
    expect(await totals()).toEqual(GOLDEN);
  });

  it('sends of a file that grows only what is new in it', async () => {
    const grow = (calls: number) => () =>
      write(TRANSCRIPT, ...Array.from({ length: calls }, (_, at) => claudeLine(NOW, `msg_${at}`)));
    const reports: Json[] = [];
    grow(1)();
    await expect(look(reports, rounds(grow(2), grow(3)))).rejects.toThrow('enough');
    const one = { signals: 1, accepted: 1, duplicates: 0 };
    expect(reports).toMatchObject([one, one, one]);
  });

  it('counts once what OpenTelemetry tells into a session that history has begun', async () => {
    const ms = NOW - 60_000;
    const lines = [1, 2, 3].map((n) => codexStep(ms + n * 1_000, [100, 0, n], [100 * n, 0, 6]));
    const grow = (steps: number) =>
      write('sessions/rollout-a.jsonl', codexLine(ms, 'session_meta', { id: 'a' }), ...lines.slice(0, steps));
    grow(1);
    const going = rounds(
      () => grow(2),
      async () => {
        await own.spend({ ts: ms + 3_000, adapter: 'codex', project_id: undefined });
        grow(3);
      },
    );
    await expect(own.look([], { codex: ['sessions'] }, going)).rejects.toThrow('enough');
    expect((await totals()).count).toBe(3);
  });

  it('sends to another account what one account has got', async () => {
    const { key, orgId } = own;
    const other = await own.tenant();
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'));
    const reports: Json[] = [];
    for (const apiKey of [key, other.key, other.key, key]) await look(reports, { apiKey });
    expect(reports).toMatchObject([{ accepted: 1 }, { accepted: 1 }]);
    for (const of of [orgId, other.orgId]) {
      own.orgId = of;
      expect(await totals()).toEqual(GOLDEN);
    }
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain(key);
  });

  it('sends in the next run what the api refused', async () => {
    write(TRANSCRIPT, claudeLine(NOW + 600_000, 'msg_1'));
    const reports: Json[] = [];
    await look(reports);
    own.clock.advance(600_000);
    await look(reports);
    expect(reports).toMatchObject([{ rejected_codes: { ts_ahead: 1 } }, { accepted: 1 }]);
  });

  it('tries a file again in the next run that could not be read', async () => {
    write('projects/rollout-1.jsonl.zst', 'no archive');
    const reports: Json[] = [];
    for (let run = 0; run < 2; run += 1) await own.look(reports, { codex: ['projects'] });
    const unread = { left_out: { 'a file that cannot be read': 1 } };
    expect(reports).toMatchObject([unread, unread]);
  });

  it('counts once what a fork replays of a parent in another folder of the tool', async () => {
    const meta = (id: string) => codexLine(NOW - 9_000, 'session_meta', { id });
    const step = codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]);
    const forked = codexStep(NOW - 1_000, [500, 0, 10], [12_500, 8_000, 910]);
    write('archived_sessions/rollout-1-a.jsonl', meta('a'), step);
    write('sessions/rollout-2-b.jsonl', meta('b'), meta('a'), step, forked);
    await own.look([], { codex: ['sessions', 'archived_sessions'] });
    expect(await totals()).toMatchObject({ count: 2, tokens_in: 12_500, tokens_out: 910 });
  });

  it('goes on while the api is away, and ends in time when it looks once', async () => {
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'));
    const reports: Json[] = [];
    const api = 'http://127.0.0.1:1';
    const pause = async () => {
      if (reports.length === 2) throw new Error('enough');
    };
    await expect(look(reports, { ...rounds(), pause, api })).rejects.toThrow('enough');
    const told = { away: expect.stringContaining(`${api} cannot be reached`) };
    expect(reports).toEqual([told, told]);
    expect(existsSync(cursorFile())).toBe(false);
    await expect(look([], { api, pause: async () => undefined })).rejects.toThrow('cannot be reached');
  });

  it('sends what it may though another tool’s history needs a scope that the key lacks', async () => {
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'));
    write('sessions/rollout-1-a.jsonl', codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]));
    const apiKey = await own.keyOf(null, ['signals:write']);
    await expect(
      own.look([], { codex: ['sessions'], 'claude-code': ['projects'] }, { apiKey }),
    ).rejects.toThrow('codex: The key needs the scope usage:read');
    expect(await totals()).toEqual(GOLDEN);
  });

  it('says so when something else answers, such as the sign-in page of a proxy', async () => {
    const api = await listen(createServer((_req, res) => res.end('<html>')));
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1', GOLDEN_USAGE, { requestId: undefined }));
    await expect(look([], { api })).rejects.toThrow(`The service at ${api} is not usage-governor.`);
  });

  it('keeps its cursor for its owner alone', async () => {
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'));
    await look([]);
    expect([modeOf(cursorFile()), modeOf(inHome('state'))]).toEqual([0o600, 0o700]);
    chmodSync(cursorFile(), 0o644);
    write(TRANSCRIPT, claudeLine(NOW, 'msg_2'));
    await look([]);
    expect(modeOf(cursorFile())).toBe(0o600);
  });

  it('keeps what another sync of the same account noted meanwhile', () => {
    const state = { size: 1, changedMs: NOW };
    writeSent(cursorFile(), 'account', { mine: state });
    writeSent(cursorFile(), 'account', { theirs: state });
    expect(readSent(cursorFile(), 'account')).toEqual({ mine: state, theirs: state });
  });

  it('says what to do about a damaged cursor', async () => {
    write(TRANSCRIPT, claudeLine(NOW, 'msg_1'));
    await look([]);
    writeFileSync(cursorFile(), '{"half');
    await expect(look([])).rejects.toThrow(`${cursorFile()} is damaged. Delete it`);
    rmSync(cursorFile());
    const reports: Json[] = [];
    await look(reports);
    expect(reports).toMatchObject([{ duplicates: 1 }]);
  });
});
