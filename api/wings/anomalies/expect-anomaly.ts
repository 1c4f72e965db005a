import { expectAnomaly as expect, expectationInput } from '../../../shared/wings/anomalies/answer.ts';
import { anomalyView, viewAnomaly } from '../../../shared/wings/anomalies/list-anomalies.ts';
import { route } from '../../basics/route.ts';
import { anomalyParams } from './acknowledge-anomaly.ts';

export const expectAnomaly = route({
  method: 'post',
  path: '/v1/anomalies/{id}/expect',
  summary: 'Expect anomalies of a kind',
  description:
    'For admins. Until then channels get no messages about anomalies of this kind of the person, or of this session, and those that are ' +
    'found are `expected`. Webhooks of the format `json` get them as before. Another time replaces the one before; a repeat changes nothing.',
  tag: 'Anomalies',
  auth: { kind: 'idp', role: 'admin' },
  params: anomalyParams,
  body: expectationInput,
  success: { status: 200, description: 'The anomaly', body: anomalyView },
  errors: ['missing_scope', 'not_found'],
  handle: async ({ principal, params, body }, ctx) =>
    viewAnomaly(await expect(ctx, principal, params.id, body), { userId: null }),
});
