import { Session } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../packages/stack/files.ts';

/** It stays connected: the coverage of a run as a whole may be recorded beside it. */
const session = new Session();
session.connect();
session.post('Profiler.enable');

/**
 * Names the files of `shared` of which `act` enters a function that has a name, by the coverage of V8. A file whose constants or
 * anonymous callbacks are used is not entered.
 */
export async function filesEntered(act: () => Promise<unknown>): Promise<string[]> {
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  takeCoverage();
  await act();
  return takeCoverage().filter((file) => file.startsWith('shared/'));
}

/** Names the files of this process whose named functions have run since this was called last. */
function takeCoverage(): string[] {
  const files: string[] = [];
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error;
    for (const { url, functions } of taken.result) {
      const isEntered = functions.some(
        ({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0),
      );
      if (isEntered) files.push(relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url));
    }
  });
  return files.sort();
}
