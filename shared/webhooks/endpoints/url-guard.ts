import { promises as dns, lookup as systemLookup } from 'node:dns';
import { buildConnector } from 'undici';
import type { Config } from '../../platform/basics/config.ts';
import { WEBHOOK_TIMEOUT_MS, WEBHOOK_URL_LENGTH } from '../../platform/basics/contract.ts';
import type { Context } from '../../platform/context/context.ts';
import { perContext } from '../../platform/context/per-context.ts';
import { isInside, isLoopback, isPublicAddress, literalAddress } from './addresses.ts';

const PORTS = [443, 8443];
const REGISTRATION_DNS_MS = 2_000;

export interface Address {
  address: string;
  family: number;
}
export type Resolve = (hostname: string) => Promise<Address[]>;

/** One guard against requests into our own network, for registration, test and delivery alike. */
export interface Guard {
  /** What is wrong with a URL, or null. Looks names up; one that does not resolve may later. */
  refuse(url: string): Promise<string | null>;
  /** Connects only to addresses that were checked, whatever a name resolves to the next time. */
  connect: buildConnector.connector;
}

/** Nothing was sent: the address is not one that we deliver to. */
export class BlockedError extends Error {
  readonly code = 'EBLOCKED';
}
/** The name did not resolve. */
export class DnsError extends Error {
  readonly code = 'EDNS';
}

/** The guard of this process. */
export const guardOf: (ctx: Context) => Guard = perContext((ctx) => createGuard(ctx.config));

type Rules = Pick<Config, 'nodeEnv' | 'webhookPorts' | 'webhookAllowedNetworks'>;

export function createGuard(rules: Rules, resolve: Resolve = resolver(rules)): Guard {
  const checked = async (hostname: string): Promise<Address[]> => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw new DnsError(`${hostname} has no address`);
    const bad = addresses.find(({ address }) => !isAllowed(rules, hostname, address));
    if (bad) throw new BlockedError(`${hostname} resolves to an address that is not public`);
    return addresses;
  };
  const base = buildConnector({ timeout: WEBHOOK_TIMEOUT_MS, lookup: lookupBy(checked) });
  return {
    refuse: async (text) => refuseUrl(rules, text) ?? (await refuseName(new URL(text).hostname, checked)),
    connect: (options, callback) => {
      // Sockets never ask `lookup` about a literal, so that is checked here.
      const literal = literalAddress(options.hostname);
      if (literal !== null && !isAllowed(rules, options.hostname, literal)) {
        callback(new BlockedError('The address is not public'), null);
        return;
      }
      base(options, callback);
    },
  };
}

/** All that can be said without a look-up. Null: fine. */
export function refuseUrl(rules: Rules, text: string): string | null {
  if (text.length > WEBHOOK_URL_LENGTH) return `must be at most ${WEBHOOK_URL_LENGTH} characters`;
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
  return null;
}

async function refuseName(
  hostname: string,
  checked: (hostname: string) => Promise<Address[]>,
): Promise<string | null> {
  if (literalAddress(hostname) !== null) return null;
  const patience = Promise.withResolvers<null>();
  const timer = setTimeout(() => patience.resolve(null), REGISTRATION_DNS_MS);
  try {
    await Promise.race([checked(hostname), patience.promise]);
    return null;
  } catch (error) {
    return error instanceof BlockedError ? 'must not resolve to an address that is not public' : null;
  } finally {
    clearTimeout(timer);
  }
}

/** Outside production `localhost`, 127.0.0.0/8 and ::1, on any port, http or https. */
function isOwnMachine(rules: Rules, hostname: string, literal: string | null): boolean {
  if (rules.nodeEnv === 'production') return false;
  return hostname === 'localhost' || (literal !== null && isLoopback(literal));
}

function isAllowed(rules: Rules, hostname: string, address: string): boolean {
  if (isPublicAddress(address) || isInside(address, rules.webhookAllowedNetworks)) return true;
  return isOwnMachine(rules, hostname, literalAddress(hostname)) && isLoopback(address);
}

type Lookup = NonNullable<buildConnector.BuildOptions['lookup' & keyof buildConnector.BuildOptions]>;

/** `dns.lookup`'s shape over checked addresses: the socket connects to exactly these. */
function lookupBy(checked: (hostname: string) => Promise<Address[]>): Lookup {
  const lookup = (
    hostname: string,
    options: { all?: boolean },
    callback: (error: Error | null, address?: string | Address[], family?: number) => void,
  ) => {
    checked(hostname).then(
      (addresses) => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]?.address, addresses[0]?.family);
      },
      (error: unknown) =>
        callback(error instanceof BlockedError ? error : new DnsError(`${hostname} did not resolve`)),
    );
  };
  return lookup as unknown as Lookup;
}

/**
 * Asks name servers directly: the system's resolver has four threads for the whole process, so that a few names whose
 * servers never answer would hold up every other endpoint. It is asked for what only it knows: names without a dot,
 * and outside production or with private networks allowed also those that DNS does not have (/etc/hosts).
 */
function resolver(rules: Rules): Resolve {
  const servers = new dns.Resolver({ timeout: 2_000, tries: 2 });
  const knowsMore = rules.nodeEnv !== 'production' || rules.webhookAllowedNetworks.length > 0;
  return async (hostname) => {
    if (!hostname.includes('.')) return lookUp(hostname);
    const [v4, v6] = await Promise.allSettled([servers.resolve4(hostname), servers.resolve6(hostname)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0 || !knowsMore) return found;
    return lookUp(hostname);
  };
}

function lookUp(hostname: string): Promise<Address[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
