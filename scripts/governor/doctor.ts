import type { Command } from 'commander';
import type { Context } from '../../shared/platform/context/context.ts';
import type { Run } from './basics/run.ts';
import { readMongoChecks } from './mongo-checks.ts';

/** `doctor mongo`: questions that only the running MongoDB can answer (docs/stores.md). It writes one row and takes it back. */
export function addDoctorCommand(program: Command, run: Run): void {
  const doctor = program.command('doctor').description('Check what this service relies on in a store');
  doctor
    .command('mongo')
    .description(
      'Check version, replica set, rights, indexes, plans, clock and conflicts; exit code 1 when one fails',
    )
    .action(() =>
      run(async (ctx: Context) => {
        const checks = await readMongoChecks(ctx);
        if (checks.some(({ status }) => status === 'failing')) process.exitCode = 1;
        return { checks };
      }),
    );
}
