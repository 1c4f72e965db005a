import { mongo } from 'mongoose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { problemOf } from '../../api/basics/problem.ts';
import { answerInTime } from '../../api/serve/answer-in-time.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const problem = (error: unknown) => [problemOf(error).status, problemOf(error).code];

test.each([
  ['get', [503, 'store_unavailable']],
  ['post', [504, 'outcome_unknown']],
  ['patch', [504, 'outcome_unknown']],
  ['delete', [504, 'outcome_unknown']],
] as const)('a %s that never ends is answered after 25 s with %j', async (method, told) => {
  const answer = answerInTime({ method }, new Promise(() => undefined)).catch(problem);
  await vi.advanceTimersByTimeAsync(24_999);
  expect(vi.getTimerCount()).toBe(1);
  // The deadline, and the turn after it, in which an answer that has arrived would still count.
  await vi.advanceTimersByTimeAsync(2);
  expect(await answer).toEqual(told);
});

test.each([
  [{ method: 'get' } as const, [503, 'store_unavailable']],
  [{ method: 'post', changesNothing: true } as const, [503, 'store_unavailable']],
  [{ method: 'post' } as const, [504, 'outcome_unknown']],
])('of a lost commit %j is answered with %j', async (route, told) => {
  const lost = new mongo.MongoServerError({
    message: 'no answer',
    errorLabels: ['UnknownTransactionCommitResult'],
  });
  for (const error of [lost, new DomainError('outcome_unknown', 'It may have been made.')])
    expect(await answerInTime(route, Promise.reject(error)).catch(problem)).toEqual(told);
});

test('what ends in time is told as it ended', async () => {
  expect(await answerInTime({ method: 'post' }, Promise.resolve('made'))).toBe('made');
  const failed = new Error('failed');
  await expect(answerInTime({ method: 'post' }, Promise.reject(failed))).rejects.toBe(failed);
  expect(vi.getTimerCount()).toBe(0);
});
