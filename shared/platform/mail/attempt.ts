/** The fields of a due row that asks for a mail. */
export interface MailAttempt {
  /** When the mail was due at first: attempts that follow keep it. */
  scheduled_at: Date;
  /** The attempt that is due, from 1 on. */
  attempt: number;
}
