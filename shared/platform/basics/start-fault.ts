/** A fault of the deployment that keeps a process from starting. The message says what to set or to run. */
export class StartFault extends Error {
  override name = 'StartFault';
}

/** Awaits the start of a process. A StartFault is printed as one message without a stack, and the process exits 1. */
export async function startOrExit<Started>(
  name: 'api' | 'worker' | 'release',
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof StartFault)) throw error;
    console.error(`${name}: ${error.message}`);
    process.exit(1);
  }
}
