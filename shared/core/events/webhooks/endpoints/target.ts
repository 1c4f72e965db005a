import type { Config } from '../../../../platform/basics/config.ts';
import type { WebhookFormat } from '../../../../platform/basics/contract.ts';
import { decryptSecret, encryptSecret } from './encrypt-secret.ts';
import type { Webhook } from './model.ts';

type Target = Pick<Webhook, 'url' | 'encrypted_url'>;

/** Returns the URL of a webhook as it is stored. For all formats but `json` the URL is a secret: it alone lets one write there. */
export function encryptTarget(
  config: Config,
  webhookId: string,
  { format, url }: { format: WebhookFormat; url: string },
): Target {
  if (format === 'json') return { url, encrypted_url: null };
  return { url: shownUrl(url), encrypted_url: encryptSecret(config, targetOwner(webhookId), url) };
}

/** Where a webhook sends to. Throws when the key of a secret URL is not in the ring. */
export function targetOf(config: Config, { _id, url, encrypted_url }: Target & { _id: string }): URL {
  if (encrypted_url === null) return new URL(url);
  return new URL(decryptSecret(config, targetOwner(_id), encrypted_url));
}

/** The owner of a webhook's encrypted URL, so that it never decrypts as that webhook's signing secret. */
export function targetOwner(webhookId: string): string {
  return `${webhookId} url`;
}

function shownUrl(url: string): string {
  const { protocol, host } = new URL(url);
  if (protocol === 'mailto:') {
    const address = decodeURIComponent(url);
    return `mailto:…@${address.slice(address.lastIndexOf('@') + 1)}`;
  }
  return `${protocol}//${host}/…`;
}
