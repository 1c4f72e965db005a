import type { ReadyLine } from './ready-line.ts';

/** The first addresses and commands, for the person at the terminal. */
export function formatBanner(line: ReadyLine, dataDir: string): string {
  const [first] = line.orgs;
  return `
usage-governor runs. Ctrl-C stops it; the next start goes on with the same data.

  dashboard  ${line.api}/dashboard/  (sign in as one of the demo people with one click; Grace and Noah are admins)
  API        ${line.api}/api/v1
  docs       ${line.api}/docs
  board      ${line.api}/admin/queues  (any user name, the operator token as password)
  data       ${dataDir}  (logs/, demo.json, up.json: what --json prints)

  operator token  ${line.operator_token}

Try it:

  curl -s -H 'Authorization: Bearer ${first?.api_key ?? 'API_KEY'}' '${line.api}/api/v1/sessions?limit=3'
`;
}
