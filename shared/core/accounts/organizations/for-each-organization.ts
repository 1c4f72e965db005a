import type { Context } from '../../../platform/context/context.ts';
import { type Organization, organizationRows } from './model.ts';

const PAGE_ORGANIZATIONS = 100;

/**
 * Does long work for every organization in turn. One that fails is logged as `failure`, and left for the next run. The
 * organizations are read page by page: MongoDB closes a cursor that waits ten minutes for the work on what it has read.
 */
export async function forEachOrganization(
  ctx: Context,
  failure: string,
  work: (organization: Organization) => Promise<void>,
): Promise<void> {
  let page: Organization[] = [];
  do {
    page = await organizationRows(ctx)
      .find({ _id: { $gt: page.at(-1)?._id ?? '' } })
      .sort({ _id: 1 })
      .limit(PAGE_ORGANIZATIONS)
      .toArray();
    for (const organization of page) {
      try {
        await work(organization);
      } catch (error) {
        ctx.log.error({ err: error, org_id: organization._id }, failure);
      }
    }
  } while (page.length === PAGE_ORGANIZATIONS);
}
