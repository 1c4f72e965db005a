import { mongo } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { stagesOf } from '../../../scripts/governor/hot-reads.ts';
import { readMongoChecks } from '../../../scripts/governor/mongo-checks.ts';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { instanceRows } from '../../../shared/platform/mongo/transaction-guard.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { openTestContext, type TestContext } from '../../support/harness.ts';
import { type OpenFace, openFace } from '../../support/mongod-face.ts';

const { api, env } = await fixture();
const { governor } = commandLine(env);
afterEach(() => vi.restoreAllMocks());

async function checkOf(name: string) {
  return (await readMongoChecks(api.ctx)).find(({ check }) => check === name);
}
const told = (status: string, words: string) => ({ status, detail: expect.stringContaining(words) });

test('doctor mongo answers each question, and leaves nothing behind', async () => {
  const { checks } = await governor('doctor', 'mongo');
  const questions = 'version,compatibility,replica set,clock,write concern,rights,indexes,plans,conflict';
  expect(checks.map(({ check }: { check: string }) => check)).toEqual(questions.split(','));
  expect(checks.filter(({ status }: { status: string }) => status === 'failing')).toEqual([]);
  expect(await instanceRows(api.ctx).countDocuments({ _id: 'doctor' })).toBe(0);
});

test('an index that is missing is a failure, and one that nobody declared a warning', async () => {
  const audit = api.ctx.db.database.collection(auditRows.collectionName);
  await audit.createIndex({ action: 1 });
  expect(await checkOf('indexes')).toMatchObject(told('warning', 'audit {"action":1}'));
  await audit.dropIndex('at_1');
  expect(await checkOf('indexes')).toMatchObject(told('failing', 'audit {"at":1}'));
  await audit.dropIndex('action_1');
  await audit.createIndex({ at: 1 });
  expect(await checkOf('indexes')).toMatchObject({ status: 'ok' });
});

describe('a plan', () => {
  let isEmbedded: boolean;
  // The plans of the embedded store say nothing of MongoDB's, so its answers are made here.
  beforeAll(() => {
    ({ isEmbedded } = api.ctx.db);
    api.ctx.db.isEmbedded = false;
  });
  afterAll(() => {
    api.ctx.db.isEmbedded = isEmbedded;
  });

  const explain = (winningPlan: object) =>
    vi.spyOn(mongo.FindCursor.prototype, 'explain').mockResolvedValue({
      queryPlanner: { winningPlan, rejectedPlans: [{ stage: 'COLLSCAN' }] },
    });

  const scan = { stage: 'IXSCAN' };
  test.each([
    ['by an index', { stage: 'LIMIT', inputStage: { stage: 'FETCH', inputStage: scan } }, 'ok'],
    ['with a sort in memory', { stage: 'SORT', inputStage: scan }, 'failing'],
    ['on shards that scan', { stage: 'MERGE', shards: [{ winningPlan: { stage: 'COLLSCAN' } }] }, 'failing'],
    ['that is not explained', {}, 'not answered'],
  ])('%s is judged by the one that won', async (_, plan, status) => {
    explain(plan);
    expect(await checkOf('plans')).toMatchObject({ status });
  });

  test('has its stages from top to bottom', () => {
    const plan = { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'stage' } };
    expect(stagesOf(plan)).toEqual(['FETCH', 'IXSCAN']);
  });
});

describe('behind the face of a mongod', () => {
  let face: OpenFace;
  let ctx: TestContext;
  beforeAll(async () => {
    face = await openFace();
    ctx = await openTestContext({ mongoUrl: `mongodb://127.0.0.1:${face.face.port}/?directConnection=true` });
  });
  afterAll(async () => {
    await ctx.close();
    await face.close();
  });

  test('every question has an answer, and one member of three is all that is missing', async () => {
    const found = await readMongoChecks(ctx);
    const odd = found.filter(({ status }) => status !== 'ok').map(({ check }) => check);
    expect(odd, JSON.stringify(found)).toEqual(['replica set']);
  });

  test('a conflict that does not say that the transaction runs again is a failure', async () => {
    vi.spyOn(mongo.MongoError.prototype, 'hasErrorLabel').mockReturnValue(false);
    const conflict = (await readMongoChecks(ctx)).find(({ check }) => check === 'conflict');
    expect(conflict).toMatchObject(told('failing', 'is not told to run again'));
  });

  test('an index that is missing shows in the plans', async () => {
    await ctx.db.database.collection(auditRows.collectionName).dropIndex('org_id_1_at_1__id_1');
    const checks = await readMongoChecks(ctx);
    const plans = checks.find(({ check }) => check === 'plans');
    expect(plans).toMatchObject(told('failing', 'audit by org_id, at'));
  });
});

test('a server that refuses to end sessions is a warning, since its locks stay for a minute', async () => {
  const refusal = new mongo.MongoServerError({ message: 'not allowed', code: 8_000 });
  vi.spyOn(mongo.Db.prototype, 'command').mockRejectedValue(refusal);
  expect(await checkOf('rights')).toMatchObject(told('warning', 'not allowed'));
});
