import { readPreferences } from '../../../shared/wings/digests/preferences/change-preferences.ts';
import { preferencesView, viewPreferences } from '../../../shared/wings/digests/preferences/view.ts';
import { route } from '../../basics/route.ts';

export const getPreferences = route({
  method: 'get',
  path: '/v1/preferences',
  summary: "Read one's own preferences",
  description: 'The digest by mail that the person gets, and the notices that the person has dismissed.',
  tag: 'Members',
  auth: { kind: 'idp' },
  success: { status: 200, description: 'The preferences', body: preferencesView },
  handle: async ({ principal }, ctx) =>
    viewPreferences(await readPreferences(ctx, principal), ctx.clock.now()),
});
