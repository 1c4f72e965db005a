import type { Command } from 'commander';
import { enableWebhook } from '../../shared/webhooks/enable-webhook.ts';
import { rotateSecretKeys } from '../../shared/webhooks/rotate-secret-keys.ts';
import type { Run } from './run.ts';

/** `webhook` and `webhook-secrets`. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhook = program.command('webhook').description('Webhooks');
  webhook
    .command('enable <webhook_id>')
    .description('Let a failing webhook deliver again; the deliveries that were held are sent in order')
    .action((webhookId: string) =>
      run(async (ctx) => {
        const { _id, enabled, status } = await enableWebhook(ctx, null, webhookId);
        return { webhook_id: _id, enabled, status };
      }),
    );
  program
    .command('webhook-secrets')
    .description('The secrets of webhooks, which are encrypted at rest')
    .command('rotate')
    .description('Encrypt all secrets again with the first key of WEBHOOK_SECRET_KEYS')
    .action(() => run(async (ctx) => rotateSecretKeys(ctx)));
}
