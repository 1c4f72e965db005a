import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAPPED = '::ffff:';
const addresses = new WeakMap<object, string>();

/** The address by which a caller is counted: of IPv6 the network of 64 bits, since its owner has all addresses in it. */
export function addressOf(req: Pick<IncomingMessage, 'socket'> & { ip?: string | undefined }): string {
  const known = addresses.get(req);
  if (known !== undefined) return known;
  const address = readAddress(req);
  addresses.set(req, address);
  return address;
}

function readAddress(req: Parameters<typeof addressOf>[0]): string {
  const came = req.ip ?? req.socket.remoteAddress ?? '';
  // As a socket for both families shows it; to parse each would cost a fiftieth of a spend.
  const plain = came.startsWith(MAPPED) ? came.slice(MAPPED.length) : came;
  if (isIPv4(plain)) return plain;
  const given = withoutPort(came).split('%')[0] ?? '';
  if (!ipaddr.isValid(given)) return 'unknown';
  const address = ipaddr.process(given);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}

/** Some proxies write the caller's port behind the address in `X-Forwarded-For`: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function withoutPort(text: string): string {
  return text.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
}
