import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Shorter texts are sent as they are: most answers, and each of a spend or a check. Characters. */
const FROM = 8_192;

/** Texts. A parquet file is compressed already. */
const TEXTS = /^(text\/(?!event-stream)|application\/([^;]*\+)?(json|x-ndjson|javascript|xml))/;

const compress = promisify(gzip);

/** Compresses a long text for a client that takes gzip, and sets the headers that say so. */
export async function compressed(
  req: Request,
  res: Response,
  content: string | Buffer,
): Promise<string | Buffer> {
  return content.length >= FROM && offersGzip(req, res) ? compress(content) : content;
}

/**
 * Compresses an answer that is written in pieces, for a client that takes gzip; null for any other. Each piece is
 * flushed, so that its rows arrive when they are there.
 */
export function compressor(req: Request, res: Response): Transform | null {
  return offersGzip(req, res) ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : null;
}

function offersGzip(req: Request, res: Response): boolean {
  if (res.hasHeader('Content-Encoding') || !TEXTS.test(String(res.getHeader('Content-Type') ?? '')))
    return false;
  res.vary('Accept-Encoding');
  if (req.acceptsEncodings('gzip', 'identity') !== 'gzip') return false;
  res.setHeader('Content-Encoding', 'gzip');
  res.removeHeader('Content-Length');
  return true;
}
