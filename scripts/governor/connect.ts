import { type Command, InvalidArgumentError } from 'commander';
import { readUp } from '../../packages/stack/read-run.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { keyInput } from '../../shared/core/accounts/keys/view.ts';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import {
  CONNECTABLE,
  type Connectable,
  placeOf,
  settingsFor,
} from '../../shared/core/calls/adapters/connect-settings.ts';
import { baseUrl } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { checkInput, parseAddress } from './basics/input.ts';
import type { Run } from './basics/run.ts';

interface ConnectFlags {
  org?: string;
  userId?: string;
  projectId?: string;
  api?: string;
}

/** `connect`: a key for a tool, and the settings that make the tool send with it. */
export function addConnectCommand(program: Command, run: Run): void {
  program
    .command('connect <tool>')
    .description(`Make a key for a tool and print its settings; tool is one of ${CONNECTABLE.join(', ')}`)
    .option('--org <org_id>', 'default: the only or first organization')
    .option('--user-id <id>', 'bind the key to one user')
    .option('--project-id <id>', 'project of what names none')
    .option(
      '--api <url>',
      'where the tool reaches the api; default: BASE_URL, else the running scripts/up',
      parseAddress,
    )
    .action((name: string, flags: ConnectFlags) => {
      const tool = CONNECTABLE.find((known) => known === name);
      if (!tool) throw new InvalidArgumentError(`The tool is one of ${CONNECTABLE.join(', ')}.`);
      const { json, data } = program.opts<{ json?: boolean; data: string }>();
      return run(async (ctx) => {
        const api = flags.api ?? ctx.config.baseUrl ?? readUp(data).api ?? baseUrl(ctx.config);
        const { orgId, keyId, settings, note } = await connect(ctx, tool, api.replace(/\/+$/, ''), flags);
        const made = { tool, org_id: orgId, key_id: keyId, user_id: flags.userId ?? null, note, settings };
        if (json) return made;
        console.log(
          [`# ${note}`, `# Key ${keyId} of ${orgId}.`, `# ${placeOf(tool)}`, ...settings].join('\n'),
        );
        return {};
      });
    });
}

async function connect(ctx: Context, tool: Connectable, api: string, flags: ConnectFlags) {
  const orgId = flags.org ?? (await firstOrganization(ctx));
  const { key, key_id } = await createApiKey(ctx, {
    ...checkInput(keyInput.omit({ expires_at: true }), {
      scopes: ['signals:write'],
      name: `connect ${tool}`,
      user_id: flags.userId,
      project_id: flags.projectId,
    }),
    org_id: orgId,
  });
  const note = flags.userId
    ? `This key reports ${flags.userId} only.`
    : 'This key is bound to no user: each record must name its own, and whoever holds the key can report anyone.';
  return {
    orgId,
    keyId: key_id,
    settings: settingsFor(tool, { api, key, projectId: flags.projectId }),
    note,
  };
}

async function firstOrganization(ctx: Context): Promise<string> {
  const first = await organizationRows(ctx).findOne({}, { sort: { created_at: 1 } });
  if (!first) throw new DomainError('not_found', 'There is no organization yet: governor org create NAME.');
  return first._id;
}
