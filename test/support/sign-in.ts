import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIdp } from '../../scripts/idp/provider.ts';
import { ensureIdpState, idpEnvironment, issuerOf } from '../../scripts/idp/state.ts';

/**
 * A real identity provider, at which anybody signs in by e-mail and these people by name, and the variables of an api that trusts
 * it. Its keys are in the folder.
 */
export async function startSignIn(people: Parameters<typeof startIdp>[1] = () => []) {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-people-'));
  const state = await ensureIdpState(folder);
  const server = await startIdp(state, people);
  /** Ends it, and every answer that is under way. */
  const stop = () => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { issuer: issuerOf(state), env: idpEnvironment(state), folder, stop };
}
