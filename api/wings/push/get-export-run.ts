import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { getDestination } from '../../../shared/wings/push/destinations/manage-destinations.ts';
import { getRun } from '../../../shared/wings/push/destinations/runs/list-runs.ts';
import { runView, viewRun } from '../../../shared/wings/push/destinations/view.ts';
import { route } from '../../basics/route.ts';
import { exportRunParams } from '../../schemas/params.ts';

export const getExportRun = route({
  method: 'get',
  path: '/api/v1/destinations/{id}/runs/{run_id}',
  summary: 'Get a run of a destination',
  tag: 'Exports',
  auth: { kind: 'api-key', scope: 'exports:write' },
  params: exportRunParams,
  success: { status: 200, description: 'The run', body: runView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    const { _id } = await getDestination(ctx, wholeOrganization(principal), params.id);
    return viewRun(await getRun(ctx, _id, params.run_id));
  },
});
