import { z } from 'zod';
import { text } from '../../../../platform/basics/text.ts';
import { CONCERNED, type Concerns } from '../../record/concerns.ts';

/** Names in one list of a filter. */
const LONGEST_LIST = 100;

function names(about: string) {
  return z
    .array(text(256))
    .min(1)
    .max(LONGEST_LIST)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id')
    .exactOptional()
    .describe(about);
}

/** The only things that a channel gets events about: one of any list is enough. */
export const filterInput = z
  .strictObject({
    teams: names('Teams: events about the team, or about somebody in it'),
    projects: names('Projects, by their ids'),
    budgets: names('Budgets, by their ids'),
    people: names('People, by their user ids'),
  })
  .refine((filter) => CONCERNED.some((kind) => filter[kind]), 'must name at least one id');
export type WebhookFilter = z.output<typeof filterInput>;

interface Filtered {
  filter?: WebhookFilter | null;
  /** The people in the teams of the filter. */
  members?: ReadonlySet<string>;
}

/** Returns true when a webhook gets events about these things: it has no filter, or its filter names one of them. Pure. */
export function isConcerned({ filter, members }: Filtered, concerns: Concerns): boolean {
  if (!filter) return true;
  const isNamed = CONCERNED.some((kind) => filter[kind]?.some((id) => concerns[kind]?.includes(id)));
  return isNamed || Boolean(concerns.people?.some((user) => members?.has(user)));
}
