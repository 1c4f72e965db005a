import { endLeftovers } from './run-record.ts';

/** Ends the processes that a killed scripts/up has left; the guard becomes this program. Arguments: DATA RUN_ID. */
const [dataDir, runId] = process.argv.slice(2);
if (dataDir !== undefined && runId !== undefined) await endLeftovers(dataDir, runId);
