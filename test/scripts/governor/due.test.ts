import { expect, test } from 'vitest';
import { dateAt } from '../../../shared/platform/basics/clock.ts';
import { dueRows } from '../../../shared/platform/due/model.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const { ctx, orgId, record, env } = await fixture();
const { governor } = commandLine(env);

test('due counts what workers will do by kind, and lists one kind by its time', async () => {
  const nowMs = ctx.clock.now();
  await record({ ts: nowMs, user_id: 'ada' }, { ts: nowMs - 60_000, user_id: 'bob' });
  const late = { key: 'late', org_id: orgId, failures: 2 };
  const due_at = dateAt(nowMs - 1);
  for (const kind of ['end-session', 'end-nothing'])
    await dueRows(ctx).insertOne({ _id: `${kind} late`, kind, ...late, due_at });
  const { due } = await governor('due');
  const sessions = due.find(({ kind }: { kind: string }) => kind === 'end-session');
  expect(sessions).toMatchObject({ rows: 3, late: 1, failing: 1, next_at: due_at.toISOString() });
  const listed = await governor('due', 'end-session');
  const times = [nowMs - 1, nowMs - 60_000 + 1_800_001, nowMs + 1_800_001];
  const expected = times.map((ms) => ({ due_at: dateAt(ms).toISOString() }));
  expect(listed.due).toMatchObject(expected);
  expect(listed.due[0]).toMatchObject(late);
});
