import { z } from 'zod';
import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { getDestination } from '../../../shared/wings/push/destinations/manage-destinations.ts';
import { DESTINATION_LEVELS, PARTITION_STATES } from '../../../shared/wings/push/destinations/model.ts';
import { listPartitions } from '../../../shared/wings/push/destinations/runs/list-runs.ts';
import { partitionView, viewPartition } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';
import { destinationParams } from '../../schemas/params.ts';

export const listExportPartitions = route({
  method: 'get',
  path: '/api/v1/destinations/{id}/partitions',
  summary: 'List the days that a destination has',
  description: 'A row per day, table and month that bills it, newest day first, as its manifest says.',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: destinationParams,
  query: z.strictObject({
    level: z.enum(DESTINATION_LEVELS).optional().describe('Only days of this table'),
    state: z.enum(PARTITION_STATES).optional().describe('Only days in this state'),
    billing_period: z
      .string()
      .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'must be a month, such as 2026-01')
      .optional()
      .describe('Only days that this month bills'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of days', body: pageOf(partitionView) },
  errors: ['not_found', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) => {
    const { _id } = await getDestination(ctx, wholeOrganization(principal), params.id);
    const { level, state, billing_period } = query;
    const filter = { level, state, billing_period };
    return answerPage(
      ctx,
      ['export partitions', _id, filter],
      query,
      (page) => listPartitions(ctx, _id, filter, page),
      viewPartition,
    );
  },
});
