import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';

const PURGED_AT_ONCE = 1_000;

/** Deletes deliveries older than the retention (EVENT_RETENTION_DAYS), with what was still to be done about them. */
export async function purgeDeliveries(ctx: Context): Promise<number> {
  const before = new Date(ctx.clock.now() - ctx.config.eventRetentionDays * 86_400_000);
  let purged = 0;
  for (;;) {
    const rows = await raw(ctx.db.deliveries)
      .find({ created_at: { $lt: before } }, { projection: { _id: 1 } })
      .limit(PURGED_AT_ONCE)
      .toArray();
    const ids = rows.map(({ _id }) => _id);
    if (ids.length === 0) return purged;
    await raw(ctx.db.queuedDeliveries).deleteMany({ _id: { $in: ids } });
    await raw(ctx.db.deliveries).deleteMany({ _id: { $in: ids } });
    purged += ids.length;
  }
}
