import { dueJob } from '../../../platform/due/model.ts';

/** Releases what an API key has reserved when the key ends, and what a user has when the member is removed. */
export const releaseReservationsJob = dueJob('release-reservations');

/** The contents of a due row of a release, which has one of the two ids. */
export interface DueRelease {
  key_id?: string;
  user_id?: string;
  /** When the key ended, or the member was removed. */
  ended_at: Date;
  /** How many reservations were released so far. */
  released: number;
}
