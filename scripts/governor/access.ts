import { type Command, InvalidArgumentError } from 'commander';
import { revokeAnyDevice } from '../../shared/core/accounts/devices/revoke-device.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../../shared/core/accounts/keys/api-keys.ts';
import { type ApiKey, endOfKey, nameMaker } from '../../shared/core/accounts/keys/model.ts';
import { keyInput, rotation } from '../../shared/core/accounts/keys/view.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { SCOPES, type Scope } from '../../shared/platform/basics/contract.ts';
import { checkInput, parseInteger, parseTime } from './basics/input.ts';
import type { Run } from './basics/run.ts';

/** `key` and `device`: API keys, and the machines of members. */
export function addAccessCommands(program: Command, run: Run): void {
  const key = program.command('key').description('API keys');
  key
    .command('create <org_id>')
    .description('Create a key and show it, this once')
    .requiredOption('--scope <scope...>', `any of ${SCOPES.join(', ')}`, collectScope)
    .option('--name <name>')
    .option('--user-id <id>', 'bind the key to this user')
    .option('--project-id <id>', 'project of the signals that name none')
    .option('--expires-at <time>', 'when it expires, ISO 8601 (default: never)', parseTime)
    .action((orgId: string, options: KeyOptions) =>
      run(async (ctx) => {
        const { scope, name = 'api key', userId, projectId, expiresAt } = options;
        const input = { name, scopes: scope, user_id: userId, project_id: projectId };
        return createApiKey(ctx, {
          ...checkInput(keyInput, input),
          org_id: orgId,
          expires_at: expiresAt,
        });
      }),
    );
  key
    .command('rotate <key_id>')
    .description('Create a second key like it; the first one keeps working for the grace time')
    .option(
      '--grace <seconds>',
      'how long the first one keeps working, at most 30 days',
      parseInteger,
      86_400,
    )
    .action((keyId: string, options: { grace: number }) =>
      run(async (ctx) => {
        const { grace_s } = checkInput(rotation, { grace_s: options.grace });
        return rotateApiKey(ctx, keyId, grace_s * 1_000);
      }),
    );
  key
    .command('revoke <key_id>')
    .description('Revoke a key at once')
    .action((keyId: string) =>
      run(async (ctx) => {
        await revokeApiKey(ctx, keyId);
        return { key_id: keyId, revoked: true };
      }),
    );
  program
    .command('device')
    .description('Machines that spend the credits of members')
    .command('revoke <device_id>')
    .description('Revoke a device at once, whoever it belongs to')
    .action((deviceId: string) =>
      run(async (ctx) => {
        await openShards(ctx);
        await revokeAnyDevice(ctx, deviceId);
        return { device_id: deviceId, revoked: true };
      }),
    );
  key
    .command('list <org_id>')
    .description('List the keys, without their secrets')
    .action((orgId: string) =>
      run(async (ctx) => {
        await readOrganization(ctx, orgId);
        return { keys: (await listApiKeys(ctx, orgId)).map(describe) };
      }),
    );
}

function describe(key: ApiKey) {
  const { _id, name, scopes, user_id, project_id, made_by, created_at, revoked_at, last_used_at } = key;
  return {
    key_id: _id,
    name,
    scopes,
    user_id,
    project_id,
    made_by: nameMaker(made_by),
    created_at,
    expires_at: endOfKey(key),
    revoked_at,
    last_used_at,
  };
}

interface KeyOptions {
  scope: Scope[];
  name?: string;
  userId?: string;
  projectId?: string;
  expiresAt?: Date;
}

function collectScope(value: string, before: Scope[] = []): Scope[] {
  const scope = SCOPES.find((known) => known === value);
  if (!scope) throw new InvalidArgumentError(`A scope is one of ${SCOPES.join(', ')}.`);
  return [...before, scope];
}
