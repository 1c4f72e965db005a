import { z } from 'zod';
import { countThatFits, plainAnswer } from './plain.ts';

const MOST_ITEMS = 20;
/** The argument that asks for so many items. */
export const limit = z.int().min(1).max(MOST_ITEMS).default(MOST_ITEMS);

/** The members of a page beside its items. */
export const page = { cursor: z.string(), has_more: z.boolean(), total: z.int() };

/** A page with as many items as a result may hold; its cursor goes on behind the last of them. */
export async function pageThatFits(most: number, load: (limit: number) => Promise<unknown>): Promise<object> {
  const whole = plainAnswer(await load(most)) as { data: unknown[] };
  const count = Math.max(1, countThatFits({ ...whole, data: [] }, whole.data));
  return count >= whole.data.length ? whole : (plainAnswer(await load(count)) as object);
}
