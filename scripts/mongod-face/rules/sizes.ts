import { mongo } from 'mongoose';
import type { Failure } from '../failures.ts';
import type { Statement } from '../wire.ts';
import { listOf, writesOf } from '../writes.ts';

/** https://www.mongodb.com/docs/manual/reference/limits/#mongodb-limit-BSON-Document-Size */
const LARGEST_DOCUMENT = 16 * 1024 * 1024;
/** `maxMessageSizeBytes`: https://www.mongodb.com/docs/manual/reference/command/hello/ */
const LARGEST_MESSAGE = 48_000_000;
/** https://www.mongodb.com/docs/manual/reference/limits/#mongodb-limit-Write-Command-Batch-Limit-Size */
const MOST_WRITES = 100_000;

/** Refuses what is too large for one command or one row. */
export function checkSizes(command: Statement): Failure | null {
  const { bytes = 0 } = command;
  if (bytes > LARGEST_MESSAGE)
    return { code: 10334, message: `The message of ${bytes} bytes is above ${LARGEST_MESSAGE}.` };
  // Any row is smaller than the message that carries it.
  const isTooLarge = bytes > LARGEST_DOCUMENT && largestRow(command) > LARGEST_DOCUMENT;
  if (isTooLarge) return { code: 10334, message: `A document is above ${LARGEST_DOCUMENT} bytes.` };
  const { documents, updates, deletes, ops } = command.body;
  const writes = documents ?? updates ?? deletes ?? ops;
  if (writes === undefined) return null;
  const count = listOf(writes).length;
  return count > 0 && count <= MOST_WRITES
    ? null
    : {
        code: 16,
        message: `Write batch sizes must be between 1 and ${MOST_WRITES}. Got ${count} operations.`,
      };
}

function largestRow(command: Statement): number {
  const rows = writesOf(command).flatMap(({ row }) => (row ? [mongo.BSON.calculateObjectSize(row)] : []));
  return Math.max((command.largestDocument ?? 0) - OVERHEAD, ...rows);
}

/** The room that a write around a document of the largest size may take. */
const OVERHEAD = 16 * 1024;
