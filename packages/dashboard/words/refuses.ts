import { dateTime } from './time.ts';

/** The budget that refuses a person's calls, as `me/budget` answers it. */
export interface OwnRefusal {
  id: string;
  /** Null where the person does not see it. */
  name: string | null;
  cause: string;
  resets_at: string | null;
}

/** Says which budget refuses a person's calls, as far as the person may know, and until when where only that helps. Pure. */
export function refusesWords({ name, cause, resets_at }: OwnRefusal, zone: string): string {
  const budget = name === null ? 'A budget of your organization' : `The budget “${name}”`;
  const until = cause === 'spent' && resets_at !== null ? ` until ${dateTime(resets_at, zone)} ${zone}` : '';
  return `${budget} refuses your calls${until}`;
}
