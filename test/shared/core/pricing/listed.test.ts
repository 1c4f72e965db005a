import { calcPrice, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { mayBeListed } from '../../../../shared/core/pricing/listed.ts';

describe('a model that the library finds may be listed', async () => {
  const providers = (await waitForUpdate()) ?? [];
  const modelIds = [
    ...new Set(providers.flatMap((provider) => provider.models.map((model) => model.id.toLowerCase()))),
  ];
  const providerIds = [undefined, ...providers.map((provider) => provider.id)];

  it('by its id, at every provider and without one, with a date, a version or anything else around it', () => {
    const affix = fc.constantFrom(
      '',
      '-20250929',
      '-20251399',
      '-2025-09-29',
      '-v1:0',
      '-latest',
      ':free',
      'us.',
      'x',
    );
    const query = fc.record({ provider: fc.constantFrom(...providerIds), id: fc.constantFrom(...modelIds) });
    fc.assert(
      fc.property(query, affix, affix, ({ provider, id }, before, after) => {
        const model = before + id + after;
        expect(isFound(provider, model) && !mayBeListed({ provider, model })).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('and one that it cannot find mostly is not, so the library is seldom asked in vain', () => {
    expect(mayBeListed({ provider: 'openrouter', model: 'zzz-1' })).toBe(false);
    expect(mayBeListed({ provider: 'azure', model: 'team/zzz-20250101-1' })).toBe(false);
    expect(mayBeListed({ provider: undefined, model: 'zzz' })).toBe(false);
    expect(mayBeListed({ provider: 'no-such-provider', model: 'gpt-5' })).toBe(false);
  });
});

function isFound(provider: string | undefined, model: string): boolean {
  return calcPrice({}, model, provider === undefined ? {} : { providerId: provider }) !== null;
}
