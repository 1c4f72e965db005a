import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../../packages/stack/read-run.ts';
import { publishSettings, withdrawLine } from '../../../scripts/start/ready-line.ts';

test('a command uses the plans and the identity provider of the running service, unless it names its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-settings-'));
  try {
    const service = {
      OIDC_ISSUER: 'http://127.0.0.1:9999',
      OIDC_CLIENT_ID: 'governor',
      PLANS_FILE: 'my-plans.json',
    };
    publishSettings(folder, { ...service, OIDC_CLIENT_SECRET: 'none of its business' });
    const found = { ...service, PLANS_FILE: resolve('my-plans.json') };
    expect(environmentOf({}, folder)).toMatchObject(found);
    expect(environmentOf({}, folder)).not.toHaveProperty('OIDC_CLIENT_SECRET');
    expect(environmentOf({ PLANS_FILE: 'other.json' }, folder)).toMatchObject({ PLANS_FILE: 'other.json' });
    withdrawLine(folder);
    expect(environmentOf({}, folder)).not.toHaveProperty('PLANS_FILE');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
