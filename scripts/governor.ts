import { fail } from './governor/basics/run.ts';
import { createProgram } from './governor/program.ts';

// Whoever reads has read enough (`| head`), and wants to hear no more.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  error.code === 'EPIPE' ? process.exit(0) : fail(error),
);

await createProgram(process.env).parseAsync().catch(fail);
