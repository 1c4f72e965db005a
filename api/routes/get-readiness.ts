import { z } from 'zod';
import { whyNobodySignsIn } from '../../shared/core/accounts/identity/sign-in-state.ts';
import { warnOfSigningKey } from '../../shared/core/credits/receipts/signer.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { readReadiness } from '../../shared/platform/context/readiness.ts';
import { WARNINGS } from '../../shared/tables/warnings.ts';
import { type ApiState, route } from '../basics/route.ts';

const partState = z.enum(['ok', 'failing']);

export const getReadiness = (state: ApiState) =>
  route({
    method: 'get',
    path: '/readyz',
    summary: 'Tell whether this process can serve',
    tag: 'Operations',
    auth: { kind: 'none' },
    priority: 'consume',
    isProbe: true,
    success: {
      status: 200,
      description: 'It can, at least in part; the failing part is named',
      body: z.strictObject({
        status: z.enum(['ready', 'degraded']),
        parts: z.strictObject({ mongo: partState, redis: partState }),
        warnings: z.array(z.string()).optional().describe('Warnings for the operator'),
      }),
    },
    errors: ['not_ready'],
    handle: async (_input, ctx) => {
      if (state.stopping) throw new DomainError('not_ready', 'This process is stopping.');
      const { status, ...rest } = await readReadiness(ctx, [...WARNINGS, warnOfSigningKey, whyNobodySignsIn]);
      if (status === 'down') throw new DomainError('not_ready', 'No store answers.', { parts: rest.parts });
      return { status, ...rest };
    },
  });
