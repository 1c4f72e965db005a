import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIdp } from '../../scripts/idp/provider.ts';
import { ensureIdpState, idpEnvironment, issuerOf } from '../../scripts/idp/state.ts';

/** A real identity provider, at which anybody signs in by e-mail, and the variables of an api that trusts it. */
export async function startSignIn() {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-people-'));
  const state = await ensureIdpState(folder);
  const server = await startIdp(state, () => []);
  /** Ends it, and every answer that is under way. */
  const stop = () => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { issuer: issuerOf(state), env: idpEnvironment(state), stop };
}
