// First: on an older Node it ends the process with one line.
import './require-node.ts';
import { createProgram, fail } from './program.ts';

await createProgram(process.env).parseAsync().catch(fail);
