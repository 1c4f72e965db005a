import { readDemo } from './demo/file.ts';
import type { IdpPerson } from './idp/login-page.ts';
import { startIdp } from './idp/provider.ts';
import { issuerOf, readIdpState } from './idp/state.ts';

/** The identity provider for development: DATA. Its people are the members of the demo organizations. */
const [dataDir = '.data'] = process.argv.slice(2);
if ((process.env.NODE_ENV || 'production') === 'production') {
  console.error('idp: lets everybody in, so it does not run with NODE_ENV=production (or none).');
  process.exit(1);
}
const state = readIdpState(dataDir);
const server = await startIdp(state, () => readPeople(dataDir));
console.log(`idp: listens as ${issuerOf(state)}`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    server.closeAllConnections();
    server.close();
  });
}

/** Read anew each time: it starts before the demo organizations are there. */
function readPeople(folder: string): IdpPerson[] {
  const organizations = readDemo(folder)?.orgs ?? [];
  return organizations.flatMap(({ name, members }) =>
    members.map((member) => ({
      sub: member.user_id,
      name: member.name,
      email: member.email,
      organization: name,
      role: member.role,
    })),
  );
}
