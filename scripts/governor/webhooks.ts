import type { Command } from 'commander';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { listForOperator } from '../../shared/core/events/webhooks/deliveries/list-for-operator.ts';
import { enableWebhook } from '../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { rotateSecretKeys } from '../../shared/core/events/webhooks/endpoints/rotate-secret-keys.ts';
import { SEALED_ROWS } from '../../shared/tables/secrets.ts';
import type { Run } from './basics/run.ts';

/** `webhook` and `webhook-secrets`. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhook = program.command('webhook').description('Webhooks');
  webhook
    .command('list')
    .description('List webhooks: do they deliver, what is held, and how the last attempt failed')
    .option('--org <org_id>', 'of this organization only')
    .option('--failing', 'only those that are failing')
    .action(({ org, failing = false }: { org?: string; failing?: boolean }) =>
      run(async (ctx) => {
        if (org !== undefined) await readOrganization(ctx, org);
        return { webhooks: await listForOperator(ctx, { orgId: org, failing }) };
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
    .description('Secrets of webhooks and code hosts')
    .command('rotate')
    .description(
      'Encrypt all secrets of webhooks and code hosts again with the first key of WEBHOOK_SECRET_KEYS',
    )
    .action(() => run(async (ctx) => rotateSecretKeys(ctx, SEALED_ROWS)));
}
