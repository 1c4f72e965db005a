import type { ClientSession, mongo } from 'mongoose';
import { DomainError } from '../basics/errors.ts';
import type { DeclaredCollection } from './collection.ts';
import type { Db } from './connect.ts';

/** Returns how a row of an organization is found by its id. It throws `not_found`, also for a row of another organization. */
export function findOwn<T extends { _id: string; org_id: string }>(of: DeclaredCollection<T>, noun: string) {
  return async (ctx: { db: Db }, orgId: string, id: string, transaction?: ClientSession): Promise<T> => {
    const named = { _id: id } as mongo.Filter<T>;
    const row = await of(ctx).findOne<T>(named, transaction ? { session: transaction } : {});
    if (row?.org_id !== orgId) throw new DomainError('not_found', `There is no such ${noun}.`);
    return row;
  };
}
