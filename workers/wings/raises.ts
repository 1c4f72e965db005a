import { sendDueMail } from '../../shared/core/events/mails/send-due-mail.ts';
import { endDueRaise } from '../../shared/wings/raises/end-due.ts';
import { endRaiseJob, mailRaiseJob } from '../../shared/wings/raises/jobs.ts';
import { raiseMail } from '../../shared/wings/raises/mail-raise.ts';
import { dueJobRow } from '../job-row.ts';

/** Raises that nobody answered, and those that were approved for a time. */
export const endRaise = dueJobRow(endRaiseJob, { concurrency: 4, work: endDueRaise });

export const mailRaise = dueJobRow(mailRaiseJob, {
  concurrency: 4,
  work: (ctx, key) => sendDueMail(ctx, raiseMail, key),
});
