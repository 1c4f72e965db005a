import { sendDueMail } from '../../shared/core/events/mails/send-due-mail.ts';
import { digestMail } from '../../shared/wings/digests/mail-digest.ts';
import { mailDigestJob, moveDigestsJob } from '../../shared/wings/digests/preferences/jobs.ts';
import { moveDigests as moveDigestTimes } from '../../shared/wings/digests/preferences/move-digests.ts';
import { dueJobRow } from '../job-row.ts';

/** The digest of one person. */
export const mailDigest = dueJobRow(mailDigestJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, digestMail, key),
});

/** After a change of the organization's timezone. */
export const moveDigests = dueJobRow(moveDigestsJob, { concurrency: 1, work: moveDigestTimes });
