import { dueJob } from '../platform/due/model.ts';

/** Mails an invitation. The key is the account of the invited member. */
export const mailInvitationJob = dueJob('mail-invitation');
