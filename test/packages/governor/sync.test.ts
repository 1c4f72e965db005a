import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSent, writeSent } from '../../../packages/governor/src/cursor.ts';
import { toolNamed } from '../../../packages/governor/src/readers/tools.ts';
import { sync } from '../../../packages/governor/src/sync.ts';
import { createApiKey } from '../../../shared/core/accounts/keys/api-keys.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { makeSignal, makeTenant } from '../../support/factories.ts';
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

setUpHistory();

async function totals(orgId = tenant.orgId) {
  const rows = await signalRows(api.ctx).find({ org_id: orgId }).toArray();
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    count: rows.length,
    tokens_in: sum((row) => row.tokens_in),
    tokens_out: sum((row) => row.tokens_out),
  };
}

const GOLDEN = { count: 1, tokens_in: 8_512, tokens_out: 300 };

describe('sync', () => {
  const transcript = () => join(home.folder, 'projects', 'p', 's.jsonl');
  const cursorFile = () => join(home.folder, 'state', 'sync.json');
  const look = (reports: Json[], more: Partial<Parameters<typeof sync>[0]> = {}) =>
    sync({
      ...target(),
      tools: [{ tool: toolNamed('claude-code'), folders: [join(home.folder, 'projects')] }],
      cursorFile: cursorFile(),
      now: () => Date.now(),
      everyMs: 1_000,
      once: true,
      onReport: (tool, report) => reports.push({ tool, ...report }),
      onAway: (message) => reports.push({ away: message }),
      ...more,
    });

  it('sends what is new, keeps a cursor, and sends nothing again', async () => {
    const reports: Json[] = [];
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
    await look(reports);
    await look(reports);
    expect(reports).toMatchObject([{ tool: 'claude-code', accepted: 1 }]);
    writeLines(transcript(), [
      claudeLine(NOW, 'msg_1', GOLDEN_USAGE),
      claudeLine(NOW, 'msg_2', GOLDEN_USAGE),
    ]);
    await look(reports);
    expect(reports[1]).toMatchObject({ accepted: 1, duplicates: 1 });
    expect((await totals()).count).toBe(2);
  });

  it('waits until a file is still: the first line of an answer is not the whole of it', async () => {
    const reports: Json[] = [];
    let offsetMs = 0;
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', { ...GOLDEN_USAGE, output_tokens: 1 })]);
    let looks = 0;
    const pause = async () => {
      looks += 1;
      if (looks === 1) writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
      if (looks === 2) offsetMs = 31_000;
      if (looks === 3) throw new Error('enough');
    };
    const going = look(reports, { once: false, pause, now: () => Date.now() + offsetMs });
    await expect(going).rejects.toThrow('enough');
    expect(reports).toHaveLength(1);
    expect(await totals()).toEqual(GOLDEN);
  });

  it('sends of a file that grows only what is new in it', async () => {
    const lines = ['msg_1', 'msg_2', 'msg_3'].map((id) => claudeLine(NOW, id, GOLDEN_USAGE));
    const reports: Json[] = [];
    let looks = 0;
    const pause = async () => {
      looks += 1;
      if (looks === 3) throw new Error('enough');
      writeLines(transcript(), lines.slice(0, looks + 1));
    };
    writeLines(transcript(), lines.slice(0, 1));
    const going = look(reports, { once: false, pause, now: () => Date.now() + 31_000 });
    await expect(going).rejects.toThrow('enough');
    const one = { signals: 1, accepted: 1, duplicates: 0 };
    expect(reports).toMatchObject([one, one, one]);
  });

  it('counts once what OpenTelemetry tells into a session that history has begun', async () => {
    const ms = NOW - 60_000;
    const lines = [1, 2, 3].map((n) => codexStep(ms + n * 1_000, [100, 0, n], [100 * n, 0, 6]));
    const rollout = join(home.folder, 'sessions', 'rollout-a.jsonl');
    const grow = (steps: number) =>
      writeLines(rollout, [codexLine(ms, 'session_meta', { id: 'a' }), ...lines.slice(0, steps)]);
    let looks = 0;
    const pause = async () => {
      looks += 1;
      if (looks === 3) throw new Error('enough');
      const told = makeSignal({ ts: ms + 3_000, adapter: 'codex', user_id: 'ada', project_id: undefined });
      if (looks === 2) await api.call('/api/v1/signals', { key: tenant.key, body: told });
      grow(looks + 1);
    };
    grow(1);
    const going = look([], {
      tools: [{ tool: toolNamed('codex'), folders: [join(home.folder, 'sessions')] }],
      once: false,
      pause,
      now: () => Date.now() + 31_000,
    });
    await expect(going).rejects.toThrow('enough');
    expect((await totals()).count).toBe(3);
  });

  it('sends to another account what one account has got', async () => {
    const other = await makeTenant(api.ctx);
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
    const reports: Json[] = [];
    await look(reports);
    await look(reports, { apiKey: other.key });
    await look(reports, { apiKey: other.key });
    await look(reports);
    expect(reports).toMatchObject([{ accepted: 1 }, { accepted: 1 }]);
    expect(await totals(other.orgId)).toEqual(GOLDEN);
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain(tenant.key);
  });

  it('sends in the next run what the api refused', async () => {
    writeLines(transcript(), [claudeLine(NOW + 600_000, 'msg_1', GOLDEN_USAGE)]);
    const reports: Json[] = [];
    await look(reports);
    clock.advance(600_000);
    await look(reports);
    clock.advance(-600_000);
    expect(reports).toMatchObject([{ rejected_codes: { ts_ahead: 1 } }, { accepted: 1 }]);
  });

  it('tries a file again in the next run that could not be read', async () => {
    const path = join(home.folder, 'projects', 'rollout-1.jsonl.zst');
    writeLines(path, ['no archive']);
    const tools = [{ tool: toolNamed('codex'), folders: [join(home.folder, 'projects')] }];
    const reports: Json[] = [];
    await look(reports, { tools });
    await look(reports, { tools });
    const unread = { left_out: { 'a file that cannot be read': 1 } };
    expect(reports).toMatchObject([unread, unread]);
  });

  it('counts once what a fork replays of a parent in another folder of the tool', async () => {
    const folders = ['sessions', 'archived_sessions'].map((name) => join(home.folder, name));
    const meta = (id: string) => codexLine(NOW - 9_000, 'session_meta', { id });
    const step = codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]);
    const own = codexStep(NOW - 1_000, [500, 0, 10], [12_500, 8_000, 910]);
    writeLines(join(folders[1] ?? '', 'rollout-1-a.jsonl'), [meta('a'), step]);
    writeLines(join(folders[0] ?? '', 'rollout-2-b.jsonl'), [meta('b'), meta('a'), step, own]);
    await look([], { tools: [{ tool: toolNamed('codex'), folders }] });
    expect(await totals()).toEqual({ count: 2, tokens_in: 12_500, tokens_out: 910 });
  });

  it('goes on while the api is away, and ends in time when it looks once', async () => {
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
    const reports: Json[] = [];
    const away = 'http://127.0.0.1:1';
    const pause = async () => {
      if (reports.length === 2) throw new Error('enough');
    };
    const still = { now: () => Date.now() + 31_000, pause };
    await expect(look(reports, { ...still, once: false, api: away })).rejects.toThrow('enough');
    const told = { away: expect.stringContaining('http://127.0.0.1:1 cannot be reached') };
    expect(reports).toEqual([told, told]);
    expect(existsSync(cursorFile())).toBe(false);
    await expect(look([], { api: away, pause: async () => undefined })).rejects.toThrow('cannot be reached');
  });

  it('sends what it may though another tool’s history needs a scope that the key lacks', async () => {
    const { key } = await createApiKey(api.ctx, { org_id: tenant.orgId, scopes: ['signals:write'] });
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
    const rollout = join(home.folder, 'sessions', 'rollout-1-a.jsonl');
    writeLines(rollout, [codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900])]);
    const tools = [
      { tool: toolNamed('codex'), folders: [join(home.folder, 'sessions')] },
      { tool: toolNamed('claude-code'), folders: [join(home.folder, 'projects')] },
    ];
    await expect(look([], { tools, apiKey: key })).rejects.toThrow(
      'codex: The key needs the scope usage:read',
    );
    expect(await totals()).toEqual(GOLDEN);
  });

  it('says so when something else answers, such as the sign-in page of a proxy', async () => {
    const proxy = createServer((_req, res) => res.end('<html>')).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const line = { ...claudeLine(NOW, 'msg_1', GOLDEN_USAGE), requestId: undefined };
    writeLines(transcript(), [line]);
    await expect(look([], { api: url })).rejects.toThrow(`The service at ${url} is not usage-governor.`);
    proxy.close();
  });

  it('keeps its cursor for its owner alone', async () => {
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
    await look([]);
    expect(statSync(cursorFile()).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(cursorFile())).mode & 0o777).toBe(0o700);
    chmodSync(cursorFile(), 0o644);
    writeLines(transcript(), [claudeLine(NOW, 'msg_2', GOLDEN_USAGE)]);
    await look([]);
    expect(statSync(cursorFile()).mode & 0o777).toBe(0o600);
  });

  it('keeps what another sync of the same account noted meanwhile', () => {
    const state = { size: 1, changedMs: NOW };
    writeSent(cursorFile(), 'account', { mine: state });
    writeSent(cursorFile(), 'account', { theirs: state });
    expect(readSent(cursorFile(), 'account')).toEqual({ mine: state, theirs: state });
  });

  it('says what to do about a damaged cursor', async () => {
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
    await look([]);
    writeFileSync(cursorFile(), '{"half');
    await expect(look([])).rejects.toThrow(`${cursorFile()} is damaged. Delete it`);
    rmSync(cursorFile());
    const reports: Json[] = [];
    await look(reports);
    expect(reports).toMatchObject([{ duplicates: 1 }]);
  });
});
