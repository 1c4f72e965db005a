import type { DeclaredMetric } from '../../platform/basics/metrics.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Warning } from '../../platform/context/readiness.ts';
import type { CollectionDeclaration } from '../../platform/mongo/collection.ts';
import type { Fields } from '../../platform/mongo/fields.ts';
import type { RetentionRule } from '../../platform/mongo/retention.ts';
import type { Migration } from '../../platform/mongo/schema.ts';
import type { SealedRows } from '../../platform/mongo/sealed-rows.ts';
import type { Job } from '../../platform/queues/job.ts';
import type { AuditAction } from '../accounts/audit/actions.ts';

/** Everything that a wing adds to the tables of shared/tables. */
export interface Declarations {
  readonly collections?: readonly CollectionDeclaration[];
  /** Fields that the wing keeps in collections of the core, by the names of the collections. */
  readonly fields?: Readonly<Record<string, Fields>>;
  readonly jobs?: readonly Job[];
  readonly metrics?: readonly DeclaredMetric<unknown>[];
  readonly retention?: readonly RetentionRule[];
  readonly actions?: readonly AuditAction[];
  readonly warnings?: readonly Warning[];
  readonly migrations?: readonly Migration[];
  readonly secrets?: readonly SealedRows[];
  /** Measures gauges of the wing: `api` before the metrics of an api are read, `worker` every few seconds in each worker. */
  readonly gauges?: Partial<Record<'api' | 'worker', (ctx: Context) => Promise<void>>>;
}
