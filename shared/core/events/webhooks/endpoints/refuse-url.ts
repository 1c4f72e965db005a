import ipaddr from 'ipaddr.js';
import type { Config } from '../../../../platform/basics/config.ts';
import { WEBHOOK_URL_LENGTH } from '../../../../platform/basics/contract.ts';

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

/** Azure's metadata and DNS service has a public address. */
const DENIED = new Set(['168.63.129.16']);
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Documentation (RFC 9637), which ipaddr.js does not know yet. */
const DOCUMENTATION_IPV6 = ipaddr.IPv6.parseCIDR('3fff::/20');

/** True for an address of the public internet: unicast, no private, mapped, translated or special form. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || DENIED.has(parsed.toString())) return false;
  if (parsed.kind() === 'ipv4') return true;
  const ipv6 = parsed as ipaddr.IPv6;
  return ipv6.match(GLOBAL_IPV6) && !ipv6.match(DOCUMENTATION_IPV6);
}

/** 127.0.0.0/8 and ::1, and nothing that only translates to them. */
export function isLoopback(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'loopback';
}

/** True when one of the networks (CIDR) contains the address. */
export function isInside(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const range = ipaddr.parseCIDR(network);
    return parsed.kind() === range[0].kind() && parsed.match(range);
  });
}

/** The address that a URL's host is, or null for a name. WHATWG URLs have 127.1, 0x7f000001, ①②⑦.⓪.⓪.① normalized. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}
