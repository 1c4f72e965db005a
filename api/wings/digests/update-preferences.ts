import { changePreferences } from '../../../shared/wings/digests/preferences/change-preferences.ts';
import {
  preferencesChange,
  preferencesView,
  viewPreferences,
} from '../../../shared/wings/digests/preferences/view.ts';
import { route } from '../../basics/route.ts';

export const updatePreferences = route({
  method: 'patch',
  path: '/v1/preferences',
  summary: "Change one's own preferences",
  description:
    'Omitted fields keep their value. `dismissed` adds to the notices that were dismissed before, so that two devices lose ' +
    'none of each other. A person who chooses a digest takes mails of the organization again.',
  tag: 'Members',
  auth: { kind: 'idp' },
  body: preferencesChange,
  success: { status: 200, description: 'The preferences', body: preferencesView },
  handle: async ({ principal, body }, ctx) =>
    viewPreferences(await changePreferences(ctx, principal, body), ctx.clock.now()),
});
