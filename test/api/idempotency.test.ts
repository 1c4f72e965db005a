import { mongo } from 'mongoose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { createBudget } from '../../api/routes/create-budget.ts';
import { idempotencyRecordRows } from '../../shared/core/accounts/idempotency/model.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { purge } from '../../shared/core/retention/purge.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { RETENTION } from '../../shared/tables/retention.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { type Answer, startApi, type TestApi } from '../support/harness.ts';
import { PoolClearedOnNetworkError } from '../support/store-errors.ts';
import { SECRET } from '../support/webhooks.ts';

const { api, orgId, clock, remove, send } = await fixture({ clock: true });

const budget = (name: string) => ({ ...BUDGET, name });

interface How {
  path?: string;
  on?: TestApi;
}
const create = (name: string | null, body: object, { path = '/api/v1/budgets', on = api }: How = {}) =>
  send(path, body, { at: on, headers: name === null ? {} : { 'Idempotency-Key': name } });
/** A budget of this name, and of this key. */
const make = (name: string, on = api) => create(name, budget(name), { on });
/** An api that creates budgets in this way, until the test ends. */
async function creatingBy(handle: AnyRoute['handle']): Promise<TestApi> {
  const on = await startApi({ ctx: api.ctx, routes: [{ ...createBudget, handle }] });
  onTestFinished(() => on.close());
  return on;
}
/** An api whose requests to create a budget wait before they begin; `refusal`: what they come to then. */
async function startSlow(refusal?: () => Promise<never>) {
  const claimed = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const on = await creatingBy(async (...args) => {
    claimed.resolve();
    await goOn.promise;
    await refusal?.();
    return createBudget.handle(...args);
  });
  return { on, claimed: claimed.promise, goOn: goOn.resolve };
}
const refuse = (code: 'invalid_request' | 'conflict') => async () => {
  throw new DomainError(code, 'There is no such team.');
};
const named = (name: string) => budgetRows(api.ctx).countDocuments({ org_id: orgId, name });

const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
/** A repeat finds the one budget of this name. */
async function expectMadeOnce(name: string): Promise<void> {
  const again = await make(name);
  expect([again.status, isReplayed(again), await named(name)]).toEqual([201, true, 1]);
}

/** As if an answer held a secret: it is never kept. */
function keepNoAnswer() {
  const rows = idempotencyRecordRows(api.ctx);
  const update = rows.updateOne.bind(rows);
  return vi.spyOn(rows, 'updateOne').mockImplementation(async (filter, change, options) => {
    if ('answer' in filter) throw new PoolClearedOnNetworkError();
    return update(filter, change, options);
  });
}

describe('Idempotency-Key of a request that creates something', () => {
  it('a repeat creates nothing and gets the same bytes, also after that was deleted', async () => {
    const first = await make('once');
    const again = await make('once');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect([isReplayed(first), isReplayed(again)]).toEqual([false, true]);
    const expiresS = Math.floor(clock.now() / 1_000) + 48 * 3_600;
    expect(again.headers.get('idempotency-expires')).toBe(String(expiresS));
    expect(await named('once')).toBe(1);
    await remove(`/api/v1/budgets/${first.body.id}`);
    expect((await make('once')).text).toBe(first.text);
    expect(await named('once')).toBe(0);
  });

  it('another body is 422, and another route is another request', async () => {
    await make('other');
    const { status, body } = await create('other', { ...budget('other'), threshold: 11 });
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused']);
    const hook = { url: 'http://127.0.0.1:9/x', events: ['session.ended'], secret: SECRET };
    expect((await create('other', hook, { path: '/api/v1/webhooks' })).status).toBe(201);
  });

  it('without a key each request creates', async () => {
    await create(null, budget('none'));
    await create(null, budget('none'));
    expect(await named('none')).toBe(2);
  });

  it.each(['', 'x'.repeat(129), 'a,b'])('a key that is not valid is 400: %s', async (bad) => {
    expect((await create(bad, budget('bad'))).status).toBe(400);
    expect(await named('bad')).toBe(0);
  });

  it('a refused request gives its key back', async () => {
    const wrong = { ...budget('later'), scope: 'team', scope_id: 'nobody' };
    expect((await create('later', wrong)).status).toBe(400);
    expect((await make('later')).status).toBe(201);
  });

  it('a repeat that succeeds beside a first request that is refused keeps the key', async () => {
    const slow = await startSlow(refuse('invalid_request'));
    const first = make('beside', slow.on);
    await slow.claimed;
    const update = vi
      .spyOn(idempotencyRecordRows(api.ctx), 'updateOne')
      .mockImplementationOnce(async (...args) => {
        slow.goOn();
        expect((await first).status).toBe(400);
        return idempotencyRecordRows(api.ctx).updateOne(...args);
      });
    const second = await make('beside');
    update.mockRestore();
    const third = await make('beside');
    expect([second.status, third.text]).toEqual([201, second.text]);
    expect(await named('beside')).toBe(1);
  });

  it('holds for 48 hours, and then the purge takes the record', async () => {
    await make('old');
    clock.advance(48 * 3_600_000 - 1);
    expect(isReplayed(await make('old'))).toBe(true);
    clock.advance(1);
    expect(isReplayed(await make('old'))).toBe(false);
    expect(await named('old')).toBe(2);
    clock.advance(49 * 3_600_000);
    await purge(api.ctx, RETENTION);
    expect(await idempotencyRecordRows(api.ctx).countDocuments({})).toBe(0);
  });
});

/** As the driver fails when a commit was sent and its answer never came. */
function commitWithoutAnswer(): Error {
  const error = new mongo.MongoNetworkError('connection closed');
  error.addErrorLabel('UnknownTransactionCommitResult');
  return error;
}

/** A creation that fails so once it is made. */
const failingAfter =
  (fail: () => Error): AnyRoute['handle'] =>
  async (...args) => {
    await createBudget.handle(...args);
    throw fail();
  };
const failingBefore = (fail: () => Error) => () => Promise.reject(fail());
const away = () => new mongo.MongoNetworkError('connection closed');

describe('an answer', () => {
  it.each([
    ['is 504 where the commit was made', failingAfter(commitWithoutAnswer), 504, true],
    ['is 504 where the commit never arrived', failingBefore(commitWithoutAnswer), 504, false],
    ['is 504 where a store failed after it', failingAfter(() => new PoolClearedOnNetworkError()), 504, true],
    ['is 503 where a store failed before it', failingBefore(away), 503, false],
  ])('%s, and a repeat finds what was made or makes it', async (name, handle, status, isMade) => {
    const lost = await make(name, await creatingBy(handle));
    const code = status === 504 ? 'outcome_unknown' : 'store_unavailable';
    expect([lost.status, lost.body.code]).toEqual([status, code]);
    expect(lost.text.includes('nothing was written')).toBe(status === 503);
    expect(await named(name)).toBe(isMade ? 1 : 0);
    await expectMadeOnce(name);
  });

  it('that could not be kept is a 504, and a repeat finds what was made', async () => {
    const keep = keepNoAnswer();
    const unkept = await make('unkept');
    keep.mockRestore();
    expect([unkept.status, unkept.body.code]).toEqual([504, 'outcome_unknown']);
    await expectMadeOnce('unkept');
  });

  it.each([
    ['after', failingAfter(() => new PoolClearedOnNetworkError()), 504, 1],
    ['before', failingBefore(away), 503, 0],
  ])('of a store that failed %s the creation says so without an Idempotency-Key too', async (...of) => {
    const [name, handle, status, count] = of;
    const answer = await create(null, budget(name), { on: await creatingBy(handle) });
    expect([answer.status, await named(name)]).toEqual([status, count]);
  });
});

describe('a request that stands still before it creates', () => {
  it('creates nothing once a repeat has created it, also when that was deleted since', async () => {
    const slow = await startSlow();
    const first = make('deleted', slow.on);
    await slow.claimed;
    const repeat = await make('deleted');
    expect(repeat.status, repeat.text).toBe(201);
    await remove(`/api/v1/budgets/${repeat.body.id}`);
    slow.goOn();
    expect([(await first).status, (await first).text]).toEqual([201, repeat.text]);
    expect(await named('deleted')).toBe(0);
  });

  it('creates once with all its repeats, also after one of them was refused', async () => {
    const slow = await startSlow();
    const full = await creatingBy(refuse('conflict'));
    const first = make('apart', slow.on);
    await slow.claimed;
    expect((await make('apart', full)).status).toBe(409);
    const third = await make('apart');
    slow.goOn();
    expect([third.status, (await first).status]).toEqual([201, 201]);
    expect((await first).text).toBe(third.text);
    expect(await named('apart')).toBe(1);
  });

  it('creates once after a repeat was refused and gave the key back, though no answer is kept', async () => {
    const slow = await startSlow();
    const full = await creatingBy(refuse('conflict'));
    const first = make('given back', slow.on);
    await slow.claimed;
    expect((await make('given back', full)).status).toBe(409);
    const keep = keepNoAnswer();
    slow.goOn();
    expect((await first).status).toBe(504);
    keep.mockRestore();
    await expectMadeOnce('given back');
  });

  it('and is refused then leaves the key to the repeat that has created, though no answer is kept', async () => {
    const slow = await startSlow(refuse('invalid_request'));
    const first = make('kept', slow.on);
    await slow.claimed;
    const keep = keepNoAnswer();
    expect((await make('kept')).status).toBe(504);
    slow.goOn();
    expect((await first).status).toBe(400);
    keep.mockRestore();
    await expectMadeOnce('kept');
  });

  it('a key whose object is gone, and whose answer was never kept, is a 409 and creates no second one', async () => {
    const keep = keepNoAnswer();
    expect((await make('vanished')).status).toBe(504);
    keep.mockRestore();
    const made = await budgetRows(api.ctx).findOne({ org_id: orgId, name: 'vanished' });
    await remove(`/api/v1/budgets/${made?._id}`);
    const again = await make('vanished');
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict', id: made?._id } });
    expect(await named('vanished')).toBe(0);
  });
});
