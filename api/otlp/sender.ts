import type { Sender } from '../../shared/signals/check-signal.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';

/** Who sends signals with this key. */
export function senderOf({ orgId, userId, projectId }: ApiKeyPrincipal): Sender {
  return { orgId, boundUserId: userId, defaultProjectId: projectId };
}
