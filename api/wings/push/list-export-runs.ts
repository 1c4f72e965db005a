import { z } from 'zod';
import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { getDestination } from '../../../shared/wings/push/destinations/manage-destinations.ts';
import { listRuns } from '../../../shared/wings/push/destinations/runs/list-runs.ts';
import { runView, viewRun } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';
import { destinationParams } from '../../schemas/params.ts';

export const listExportRuns = route({
  method: 'get',
  path: '/api/v1/destinations/{id}/runs',
  summary: 'List the runs of a destination',
  description: 'Those of the last 90 days, newest first.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of runs', body: pageOf(runView) },
  errors: ['not_found', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) => {
    const { _id } = await getDestination(ctx, wholeOrganization(principal), params.id);
    return answerPage(ctx, ['export runs', _id], query, (page) => listRuns(ctx, _id, page), viewRun);
  },
});
