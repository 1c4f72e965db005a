import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Config } from './config.ts';
import { StartFault } from './start-fault.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/**
 * Trusts the certificate authorities of CA_FILE besides those of Node, in each connection that this process opens from now on: to
 * both stores and to all others. Throws a StartFault for a file without certificates.
 */
export function trustAuthorities({ caFile }: Pick<Config, 'caFile'>): void {
  if (caFile === undefined) return;
  try {
    const own = readFileSync(caFile, 'utf8').match(CERTIFICATE) ?? [];
    if (own.length === 0) throw new Error('it has no certificate in PEM');
    for (const certificate of own) new X509Certificate(certificate);
    setDefaultCACertificates([...getCACertificates('default'), ...own]);
  } catch (error) {
    throw new StartFault(`CA_FILE: ${caFile} cannot be used: ${(error as Error).message}`);
  }
}

/** The words of a failed connection, with the setting that may mend it where a certificate was not trusted. */
export function hintAtAuthorities(reason: string): string {
  return /certificate/i.test(reason) ? `${reason} (CA_FILE names authorities of your own)` : reason;
}
