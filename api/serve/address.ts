import type { IncomingMessage } from 'node:http';
import { IPv6, isValid, process as parseAddress } from 'ipaddr.js';

/**
 * The address by which a caller is counted. Of IPv6 it is the network of 64 bits, because whoever has one address there
 * has all of them.
 */
export function addressOf(req: Pick<IncomingMessage, 'socket'> & { ip?: string | undefined }): string {
  const given = (req.ip ?? req.socket.remoteAddress ?? '').split('%')[0] ?? '';
  if (!isValid(given)) return 'unknown';
  const address = parseAddress(given);
  if (!(address instanceof IPv6)) return address.toString();
  const network = new IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
