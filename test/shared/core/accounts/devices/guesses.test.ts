import { expect, it } from 'vitest';
import {
  countWrongCode,
  findPending,
  refuseGuesser,
} from '../../../../../shared/core/accounts/devices/find-pending.ts';
import { startLinking } from '../../../../../shared/core/accounts/devices/start-linking.ts';
import { WRONG_USER_CODES } from '../../../../../shared/platform/basics/contract.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const { ctx } = await storesFixture();

it('remembers those who guess now, and forgets others once there are very many', () => {
  const guessOften = (name: string) => {
    for (let wrong = 0; wrong < WRONG_USER_CODES; wrong += 1) countWrongCode(ctx, [name]);
  };
  guessOften('first');
  expect(() => refuseGuesser(ctx, ['first'])).toThrow('Too many codes were wrong.');
  for (let other = 0; other < 20_000; other += 1) countWrongCode(ctx, [`other ${other}`]);
  guessOften('last');
  expect(() => refuseGuesser(ctx, ['last'])).toThrow('Too many codes were wrong.');
  expect(() => refuseGuesser(ctx, ['first'])).not.toThrow();
});

it.each([
  ['account', { address: 'elsewhere' }],
  ['address', { accountId: 'another account' }],
])('tells of many codes that are looked up at once no more than may be wrong, by %s', async (by, other) => {
  const { user_code } = await startLinking(ctx, { name: null, public_key: null });
  const guesser = { accountId: `guesser by ${by}`, address: `address by ${by}` };
  // The right code is behind as many wrong ones as are told of.
  const tries = Array.from({ length: 50 }, (_, at) => (at < 2 * WRONG_USER_CODES ? 'BBBB-BBBB' : user_code));
  const ended: string[] = [];
  await Promise.all(
    tries.map((code, at) =>
      findPending(ctx, at % 2 === 0 ? guesser : { ...guesser, ...other }, code).then(
        () => ended.push('found'),
        ({ code: why }) => ended.push(why),
      ),
    ),
  );
  expect(ended.filter((answer) => answer === 'invalid_grant')).toHaveLength(WRONG_USER_CODES);
  // The store answers in any order, and a right code may be found before.
  const afterwards = ended.slice(ended.lastIndexOf('invalid_grant') + 1);
  expect(new Set(afterwards)).toEqual(new Set(['too_many_requests']));
});
