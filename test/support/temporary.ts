import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers what to do in the end: of a test, or of a file where `afterAll` is given. */
type AtTheEnd = (work: () => void) => void;

/** An empty folder that is removed in the end. */
export function temporaryFolder(atTheEnd: AtTheEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-test-'));
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server at a free port until the end, and returns its address. */
export async function listen(server: Server, atTheEnd: AtTheEnd = onTestFinished): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atTheEnd(() => {
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
