import { dueJob } from '../../../platform/due/model.ts';

/** Mails a person's digest. The key is the account, for one that was asked for at once with a part behind a dot. */
export const mailDigestJob = dueJob('mail-digest');

/** Gives the digests of an organization the times of its new timezone. The key is the organization. */
export const moveDigestsJob = dueJob('move-digests');
