import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Variables of nginx's modules (https://nginx.org/en/docs/varindex.html) that a gate may use, and prefixes of families. */
const KNOWN = ['ssl_client_s_dn', 'ssl_client_verify', 'remote_user', 'remote_addr', 'request_id', 'host'];
const FAMILIES = /^(?:upstream_http|http|arg|cookie|sent_http)_[a-z0-9_]+$/;

test('every variable of the nginx settings in docs/gateways.md is one of nginx, or set there', () => {
  const blocks = [...readFileSync('docs/gateways.md', 'utf8').matchAll(/```nginx\n(.*?)```/gs)].map(
    ([, block]) => block,
  );
  expect(blocks.length).toBeGreaterThan(0);
  const text = blocks.join('\n');
  const made = [...text.matchAll(/(?:map \$\w+ |auth_request_set )\$(\w+)|\(\?<(\w+)>/g)].map(
    ([, set, named]) => set ?? named,
  );
  const used = [...text.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
  expect(
    used.filter((name) => !KNOWN.includes(name) && !FAMILIES.test(name) && !made.includes(name)),
  ).toEqual([]);
});
