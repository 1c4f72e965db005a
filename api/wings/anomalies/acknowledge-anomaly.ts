import { z } from 'zod';
import { text } from '../../../shared/platform/basics/text.ts';
import { acknowledgeAnomaly as acknowledge } from '../../../shared/wings/anomalies/answer.ts';
import { anomalyView, viewAnomaly } from '../../../shared/wings/anomalies/list-anomalies.ts';
import { route } from '../../basics/route.ts';

export const anomalyParams = z.strictObject({ id: text(128).describe('Anomaly id') });

export const acknowledgeAnomaly = route({
  method: 'post',
  path: '/v1/anomalies/{id}/acknowledge',
  summary: 'Acknowledge an anomaly',
  description: 'For admins: the anomaly has been seen to. A repeat changes nothing.',
  tag: 'Anomalies',
  auth: { kind: 'idp', role: 'admin' },
  params: anomalyParams,
  success: { status: 200, description: 'The anomaly', body: anomalyView },
  errors: ['missing_scope', 'not_found'],
  handle: async ({ principal, params }, ctx) =>
    viewAnomaly(await acknowledge(ctx, principal, params.id), { userId: null }),
});
