import type { ApiWing } from '../../hooks/wing.ts';
import { getPreferences } from './get-preferences.ts';
import { sendDigest } from './send-digest.ts';
import { updatePreferences } from './update-preferences.ts';

export const digests: ApiWing = {
  name: 'digests',
  sections: [
    { after: 'DELETE /v1/members/{user_id}', routes: [getPreferences, updatePreferences, sendDigest] },
  ],
};
