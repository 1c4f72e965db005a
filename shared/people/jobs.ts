import { dueJob } from '../platform/due/model.ts';

/** Mails an invitation. The key is the account of the invited member. */
export const mailInvitationJob = dueJob('mail-invitation');

/** Puts hashes in the place of names that are kept in plain text. The key is the organization. */
export const hashNamesJob = dueJob('hash-names');
