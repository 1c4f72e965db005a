import type { Command } from 'commander';
import { readOrganization } from '../../shared/organizations/read-organization.ts';
import { enableWebhook } from '../../shared/webhooks/endpoints/enable-webhook.ts';
import { listForOperator } from '../../shared/webhooks/endpoints/list-for-operator.ts';
import { rotateSecretKeys } from '../../shared/webhooks/endpoints/rotate-secret-keys.ts';
import type { Run } from './run.ts';

/** `webhook` and `webhook-secrets`. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhook = program.command('webhook').description('Webhooks');
  webhook
    .command('list')
    .description('List failing webhooks of all organizations and whether their admins were told')
    .option('--org <org_id>', 'all webhooks of this organization instead')
    .action(({ org }: { org?: string }) =>
      run(async (ctx) => {
        if (org !== undefined) await readOrganization(ctx, org);
        return { webhooks: await listForOperator(ctx, org) };
      }),
    );
  webhook
    .command('enable <webhook_id>')
    .description('Let a failing webhook deliver again; what was held is sent in order')
    .action((webhookId: string) =>
      run(async (ctx) => {
        const { _id, enabled, status } = await enableWebhook(ctx, null, webhookId);
        return { webhook_id: _id, enabled, status };
      }),
    );
  program
    .command('webhook-secrets')
    .description('Secrets of webhooks')
    .command('rotate')
    .description('Encrypt all webhook secrets again with the first key of WEBHOOK_SECRET_KEYS')
    .action(() => run(async (ctx) => rotateSecretKeys(ctx)));
}
