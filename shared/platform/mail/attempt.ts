/** What a due row of a mail knows beside its key. */
export interface MailAttempt {
  /** When the mail was due at first: attempts that follow keep it. */
  scheduled_at: Date;
  /** The attempt that is due, from 1 on. */
  attempt: number;
}
