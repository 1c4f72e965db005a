import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { voidSignals } from '../../../shared/core/calls/ingest/void-signals.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { rollupRows } from '../../../shared/core/calls/usage/model.ts';
import { setPerson } from '../../../shared/core/limits/budgets/change/change-people.ts';
import { eraseMember } from '../../../shared/people/erase-member.ts';
import { bareEnv } from '../../support/bare-env.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { until } from '../../support/harness.ts';
import { linkDevice, makePerson, type Person } from '../../support/people.ts';
import { recordAll } from '../../support/usage.ts';

const { idp, api, env, tenant } = await fixture({ idp: true });
const line = commandLine(env);

/** The command as a process of its own, which can be killed. */
const startGovernor = (...args: string[]) =>
  spawn(process.execPath, ['scripts/governor.ts', ...args], { env: { ...bareEnv(), ...env } });

const minutesAgo = (minutes: number) => api.ctx.clock.now() - minutes * 60_000;

/** Signals with words in every field that takes any. */
function said(user_id: string, mark: string) {
  const gate = { kind: 'policy', verdict: 'deny', action: 'block', source: 'config', reason: mark };
  return [
    { ts: minutesAgo(3), user_id, metadata: { branch: mark } },
    { ts: minutesAgo(2), user_id, error: { code: 'overloaded', message: mark } },
    { ts: minutesAgo(1), user_id, type: 'intervention', intervention: gate },
  ];
}

/** The records of an export, by their kind. */
function readRecords(stdout: string): Map<string, Record<string, unknown>[]> {
  const records = stdout.trim().split('\n');
  const parsed = records.map(
    (record) => JSON.parse(record) as { kind: string; data: Record<string, unknown> },
  );
  const byKind = Map.groupBy(parsed, ({ kind }) => kind);
  return new Map([...byKind].map(([kind, own]) => [kind, own.map(({ data }) => data)]));
}

const signalsOf = (org_id: string, user_id: string) =>
  signalRows(api.ctx).find({ org_id, user_id }).toArray();
const erasuresOf = (org_id: string) => auditRows(api.ctx).countDocuments({ org_id, action: 'member.erase' });
const usageOf = ({ orgId, userId }: Person) =>
  rollupRows(api.ctx).find({ org_id: orgId, user_id: userId }).sort({ _id: 1 }).toArray();

describe('governor member export', () => {
  test('prints everything that is kept about one person, and no secret', async () => {
    const mark = 'words-of-ada';
    const { orgId, budget, keyOf, record } = await tenant();
    const person = await makePerson(api.ctx, idp, { orgId });
    const { userId } = person;
    await linkDevice(api, person, { name: `laptop ${mark}` });
    const key = await keyOf(userId, ['signals:write'], { name: mark });
    await record(...said(userId, mark), { ts: minutesAgo(1), user_id: 'somebody-else' });
    const rules = { enforce: 'hard', on_error: 'deny' } as const;
    await budget({ name: 'own', scope: 'user', scope_id: userId, ...rules });
    const { _id: budgetId } = await budget({ name: 'each', per: 'user' });
    await setPerson(api.ctx, orgId, { budgetId, userId }, { threshold: 9 });
    await setPerson(api.ctx, orgId, { budgetId, userId: 'somebody-else' }, { exempt: true });
    const raise = { budget_id: budgetId, amount: 3, note: mark };
    expect((await api.call('/v1/raises', { key: person.session, body: raise })).status).toBe(201);
    const { stdout } = await line.run('member', 'export', orgId, userId);
    const byKind = readRecords(stdout);
    expect(Object.fromEntries(byKind)).toMatchObject({
      member: [{ user_id: userId, identity: { sub: person.sub } }],
      device: [{ name: `laptop ${mark}`, status: 'active' }],
      key: [{ name: mark, user_id: userId }],
      budget: [{ name: 'own', scope_id: userId, ...rules }],
      raise: [{ ...raise, user_id: userId, status: 'pending' }],
      session: [{ user_id: userId, signal_count: 3 }],
    });
    expect(byKind.get('budget_exception')).toEqual([{ budget_id: budgetId, threshold: 9, exempt: false }]);
    expect(byKind.get('signal')).toHaveLength(3);
    expect(byKind.get('usage_day')?.reduce((sum, day) => sum + Number(day.signals), 0)).toBe(3);
    const actions = byKind.get('audit')?.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['member.add', 'device.approve', 'member.export']));
    for (const secret of [key, 'hmac', 'public_key', 'somebody-else']) expect(stdout).not.toContain(secret);
  });

  test('ends quietly when its reader has read enough', async () => {
    const { orgId, userId } = await makePerson(api.ctx, idp);
    const child = startGovernor('member', 'export', orgId, userId);
    const told = text(child.stderr);
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect([code, await told]).toEqual([0, '']);
  });

  test('knows nobody of another organization', async () => {
    const person = await makePerson(api.ctx, idp);
    const other = await makePerson(api.ctx, idp);
    const { stdout, stderr } = await line.failure('member', 'export', other.orgId, person.userId);
    expect(stdout).toBe('');
    expect(stderr).toContain('There is no such member. (not_found)');
  });
});

describe('governor member erase', () => {
  test('holds for what arrives later, by any key and as history', async () => {
    const mark = 'words-that-come-late';
    const { orgId, userId } = await makePerson(api.ctx, idp);
    await recordAll(api.ctx, orgId, said(userId, mark));
    await eraseMember(api.ctx, orgId, userId);
    await recordAll(api.ctx, orgId, said(userId, mark));
    const rows = await signalsOf(orgId, userId);
    expect(rows).toHaveLength(6);
    expect(JSON.stringify(rows)).not.toContain(mark);
    expect(rows.filter(({ error }) => error?.code === 'overloaded')).toHaveLength(2);
    await recordAll(api.ctx, orgId, said('somebody-else', mark));
    expect(JSON.stringify(await signalsOf(orgId, 'somebody-else'))).toContain(mark);
  });

  test('reaches signals of a session that were all voided', async () => {
    const mark = 'words-that-were-voided';
    const { orgId, userId } = await makePerson(api.ctx, idp);
    await recordAll(api.ctx, orgId, said(userId, mark));
    const recorded = await signalsOf(orgId, userId);
    const sessionId = recorded[0]?.session_id ?? '';
    const signalIds = recorded.map(({ id }) => id);
    await voidSignals(api.ctx, orgId, { sessionId, signalIds, reason: 'wrong' });
    const kinds = readRecords((await line.run('member', 'export', orgId, userId)).stdout);
    expect([kinds.get('session')?.length, kinds.get('signal')?.length]).toEqual([1, 3]);
    expect(await eraseMember(api.ctx, orgId, userId)).toMatchObject({ signals: 3 });
    expect(JSON.stringify(await signalsOf(orgId, userId))).not.toContain(mark);
  });

  test('leaves the sums and what others said, however often it runs', async () => {
    const person = await makePerson(api.ctx, idp);
    const { orgId, userId } = person;
    const other = { ts: minutesAgo(1), user_id: 'somebody-else', metadata: { branch: 'kept' } };
    await recordAll(api.ctx, orgId, [...said(userId, 'words-of-bob'), other]);
    const before = await usageOf(person);
    expect(await line.governor('member', 'erase', orgId, userId)).toMatchObject({ signals: 3 });
    expect(await signalsOf(orgId, 'somebody-else')).toMatchObject([{ metadata: { branch: 'kept' } }]);
    expect(await usageOf(person)).toEqual(before);
    const again = await line.governor('member', 'erase', orgId, userId);
    expect(again).toMatchObject({ erased: true, signals: 0 });
    expect(await erasuresOf(orgId)).toBe(1);
  });

  test('is finished by another run when it was killed in the middle', async () => {
    const { orgId, userId } = await makePerson(api.ctx, idp);
    const projects = Array.from({ length: 400 }, (_, index) => `p-${index}`);
    const words = { user_id: userId, metadata: { branch: 'x' }, ts: minutesAgo(1) };
    const signals = projects.map((project_id) => ({ ...words, project_id }));
    await recordAll(api.ctx, orgId, signals);
    const left = () => signalRows(api.ctx).countDocuments({ org_id: orgId, metadata: { $exists: true } });
    const child = startGovernor('member', 'erase', orgId, userId);
    const ended = once(child, 'exit');
    await until(async () => (await left()) < 390, { what: 'a first part that is erased' });
    child.kill('SIGKILL');
    await ended;
    expect(await left()).toBeGreaterThan(0);
    expect(await line.governor('member', 'erase', orgId, userId)).toMatchObject({ erased: true });
    expect(await left()).toBe(0);
    expect(await erasuresOf(orgId)).toBe(1);
  });
});
