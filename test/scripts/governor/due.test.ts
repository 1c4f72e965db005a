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
  await dueRows(ctx).insertOne({
    _id: 'end-session late',
    kind: 'end-session',
    key: 'late',
    org_id: orgId,
    due_at: dateAt(nowMs - 1),
    failures: 2,
  });
  const { due } = await governor('due');
  const sessions = due.find(({ kind }: { kind: string }) => kind === 'end-session');
  expect(sessions).toMatchObject({
    rows: 3,
    late: 1,
    failing: 1,
    next_at: dateAt(nowMs - 1).toISOString(),
  });
  const listed = await governor('due', 'end-session');
  expect(listed.due.map((row: { due_at: string }) => row.due_at)).toEqual(
    [nowMs - 1, nowMs - 60_000 + 1_800_001, nowMs + 1_800_001].map((ms) => dateAt(ms).toISOString()),
  );
  expect(listed.due[0]).toMatchObject({ org_id: orgId, key: 'late', failures: 2 });
});
