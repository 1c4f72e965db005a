import { endLeftovers } from './run-record.ts';

/** What the guard becomes when scripts/up was killed: DATA RUN_ID. */
const [dataDir, runId] = process.argv.slice(2);
if (dataDir !== undefined && runId !== undefined) await endLeftovers(dataDir, runId);
