import { readConfig } from '../../../shared/platform/basics/config.ts';
import { openContext } from '../../../shared/platform/context/context.ts';
import { WINGS } from '../../../shared/tables/wings.ts';
import { runDestination } from '../../../shared/wings/push/destinations/runs/run-destination.ts';

/** Runs the destination that the command line names once, as a worker does, with a worker's guard of its transactions. */
const ctx = await openContext(readConfig(process.env), { process: 'worker', wings: WINGS });
await runDestination(ctx, process.argv[2] ?? '');
process.exit(0);
