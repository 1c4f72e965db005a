import { readConfig } from '../../../shared/platform/basics/config.ts';
import { openContext } from '../../../shared/platform/context/context.ts';
import { WINGS } from '../../../shared/tables/wings.ts';
import { purgeOld } from '../../../workers/index.ts';

/** Runs the job of the retention once, as a worker does, with a worker's guard of its transactions. */
const ctx = await openContext(readConfig(process.env), { process: 'worker', wings: WINGS });
await purgeOld.handle({}, ctx);
process.exit(0);
