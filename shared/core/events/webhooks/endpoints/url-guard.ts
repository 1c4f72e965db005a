import { promises as dns, lookup as systemLookup } from 'node:dns';
import { buildConnector } from 'undici';
import { WEBHOOK_TIMEOUT_MS } from '../../../../platform/basics/contract.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import { isAllowed, literalAddress, type Rules } from './refuse-url.ts';

export interface Address {
  address: string;
  family: number;
}
export type Resolve = (hostname: string) => Promise<Address[]>;

/** Against requests into our own network: every connection of a test or a delivery goes through it. */
export interface Guard {
  /** Connects only to addresses that were checked, whatever a name resolves to the next time. */
  connect: buildConnector.connector;
}

/** Nothing was sent: the URL names an address that we do not deliver to. */
export class BlockedError extends Error {
  readonly code = 'EBLOCKED';
}
/**
 * Nothing was sent: the name has no address that we deliver to, or none at all. One error for both, because the
 * difference would tell which names our own network has.
 */
export class DnsError extends Error {
  readonly code = 'EDNS';
}

export const guardOf: (ctx: Context) => Guard = perContext((ctx) => createGuard(ctx.config));

export function createGuard(rules: Rules, resolve: Resolve = resolver(rules)): Guard {
  const checked = async (hostname: string): Promise<Address[]> => {
    const addresses = await resolve(hostname).catch((): Address[] => []);
    const areGood = addresses.every(({ address }) => isAllowed(rules, hostname, address));
    if (addresses.length > 0 && areGood) return addresses;
    throw new DnsError(`${hostname} has no address that is delivered to`);
  };
  const base = buildConnector({ timeout: WEBHOOK_TIMEOUT_MS, lookup: lookupBy(checked) });
  return {
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
      (error: Error) => callback(error),
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
