import { expect, it } from 'vitest';
import { countWrongCode, refuseGuesser } from '../../../../../shared/core/accounts/devices/find-pending.ts';
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
