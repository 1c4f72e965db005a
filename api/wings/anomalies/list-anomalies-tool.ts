import { z } from 'zod';
import { narrowToReader } from '../../../shared/core/accounts/organizations/reader.ts';
import { anomalyView, listAnomalies, viewAnomaly } from '../../../shared/wings/anomalies/list-anomalies.ts';
import { ANOMALY_STATES } from '../../../shared/wings/anomalies/model.ts';
import { limit, page, pageThatFits } from '../../mcp/tool/page.ts';
import { cursor, range, refuseOtherUser, tool, userId } from '../../mcp/tool/tool.ts';
import { answerPage } from '../../schemas/page.ts';
import { listRange } from '../../schemas/time.ts';

export const listAnomaliesTool = tool({
  name: 'list_anomalies',
  title: 'List anomalies',
  description: 'Sessions that were unlike what is usual for their user, newest first.',
  scope: 'usage:read',
  isReader: true,
  input: z.strictObject({
    ...range,
    user_id: userId,
    state: z.enum(ANOMALY_STATES).optional(),
    limit,
    cursor,
  }),
  output: z.strictObject({ data: z.array(anomalyView), ...page }),
  run: async (ctx, principal, { limit: most, cursor: after, from, to, ...equal }) => {
    refuseOtherUser(principal, equal.user_id);
    const filter = { ...equal, ...(await listRange(ctx, principal.orgId, { from, to })) };
    const visible = narrowToReader(principal, filter);
    return pageThatFits(most, (size) =>
      answerPage(
        ctx,
        ['mcp anomalies', principal.orgId, principal.userId, filter],
        { limit: size, cursor: after, order: 'desc' },
        (page) => listAnomalies(ctx, principal.orgId, visible, page),
        (anomaly) => viewAnomaly(anomaly, principal),
      ),
    );
  },
});
