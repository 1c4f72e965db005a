import ipaddr from 'ipaddr.js';

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
