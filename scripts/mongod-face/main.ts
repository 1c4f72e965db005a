import { startMongodFace } from './face.ts';
import { faultsOfEnv } from './faults.ts';

/** `node scripts/mongod-face/main.ts PORT TARGET`: runs the face on one port of this machine, before the store on another. */
const [port, target] = process.argv.slice(2).map(Number);
if (!port || !target)
  throw new Error('Give two ports: the one to listen on, then that of the embedded store.');
await startMongodFace({ port, target, ...faultsOfEnv(process.env) });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
