import { z } from 'zod';
import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { day } from '../../../shared/wings/push/destinations/input.ts';
import { askForRun } from '../../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { runView, viewRun } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';
import { destinationParams } from '../../schemas/params.ts';

export const runDestination = route({
  method: 'post',
  path: '/api/v1/destinations/{id}/runs',
  summary: 'Run a destination of exports now',
  description:
    'Writes the finished days that it lacks. While a run is unfinished, that one is the answer where it has the same from, to and force, else a 409. A paused destination is a 409.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  body: z.strictObject({
    from: day.optional().describe('The first day; default: all'),
    to: day.optional().describe('The last day; default: all'),
    force: z.boolean().default(false).describe('Writes also days that are unchanged'),
  }),
  success: { status: 202, description: 'The run', body: runView },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const { from = null, to = null, force } = body;
    if (from !== null && to !== null && from > to)
      throw new DomainError('invalid_request', 'from must not come after to.');
    return viewRun(await askForRun(ctx, wholeOrganization(principal), params.id, { from, to, force }));
  },
});
