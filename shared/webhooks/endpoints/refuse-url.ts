import type { Config } from '../../platform/basics/config.ts';
import { WEBHOOK_URL_LENGTH } from '../../platform/basics/contract.ts';
import { isInside, isLoopback, isPublicAddress, literalAddress } from './addresses.ts';

const PORTS = [443, 8443];

/** The settings of a deployment that decide about URLs. */
export type Rules = Pick<Config, 'nodeEnv' | 'webhookPorts' | 'webhookAllowedNetworks'>;

/** Returns the fault of a URL that is to be registered, or null. Names are resolved at each connection, never here. */
export function refuseUrl(rules: Rules, text: string): string | null {
  if (Array.from(text).length > WEBHOOK_URL_LENGTH) return `must be at most ${WEBHOOK_URL_LENGTH} characters`;
  // URL.parse drops line breaks and tabs, so what is called would not be what is shown.
  if (/\p{Cc}/u.test(text)) return 'must not hold control characters';
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return 'must be an absolute https URL';
  if (url.username || url.password) return 'must not hold a user name or password';
  const literal = literalAddress(url.hostname);
  if (isOwnMachine(rules, url.hostname, literal)) return null;
  if (url.protocol !== 'https:') return 'must be https';
  const port = Number(url.port || 443);
  const ports = [...PORTS, ...rules.webhookPorts];
  if (!ports.includes(port)) return `must use one of the ports ${ports.join(', ')}`;
  if (literal !== null && !isAllowed(rules, url.hostname, literal))
    return 'must not be an address that is not public';
  if (literal === null && isLocalName(rules, url.hostname)) return 'must name a host of the internet';
  return null;
}

/** A name that only our own network can know. Deployments that allow networks of their own may have some. */
function isLocalName({ webhookAllowedNetworks }: Rules, hostname: string): boolean {
  const name = hostname.replace(/\.+$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return !name.includes('.') && webhookAllowedNetworks.length === 0;
}

/** Outside production `localhost`, 127.0.0.0/8 and ::1, on any port, http or https. */
function isOwnMachine(rules: Rules, hostname: string, literal: string | null): boolean {
  if (rules.nodeEnv === 'production') return false;
  return hostname === 'localhost' || (literal !== null && isLoopback(literal));
}

/** True when requests may go to this address of a host. */
export function isAllowed(rules: Rules, hostname: string, address: string): boolean {
  if (isPublicAddress(address) || isInside(address, rules.webhookAllowedNetworks)) return true;
  return isOwnMachine(rules, hostname, literalAddress(hostname)) && isLoopback(address);
}
