import type { Config } from '../../../platform/basics/config.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Bucket, DestinationKind } from './model.ts';

/** Throws `invalid_request` for a place that the operator does not allow. */
export function refusePlace(config: Config, kind: DestinationKind, endpoint: string | undefined): void {
  if (kind === 'folder' && config.exportFolder === undefined)
    throw refused('/kind', 'folders are not set up here (EXPORT_FOLDER)');
  if (kind === 's3' && config.exportS3Endpoints.length === 0)
    throw refused('/kind', 'buckets are not set up here (EXPORT_S3_ENDPOINTS)');
  if (endpoint !== undefined && !isAllowed(config, endpoint))
    throw refused('/endpoint', 'is not among those that the operator allows (EXPORT_S3_ENDPOINTS)');
}

/** Throws `invalid_request` for an address whose name cannot have the bucket before it. */
export function refusePathless({
  endpoint,
  bucket,
  path_style,
}: Pick<Bucket, 'endpoint' | 'bucket' | 'path_style'>): void {
  if (path_style) return;
  const url = new URL(endpoint);
  const { hostname } = url;
  url.hostname = `${bucket}.${hostname}`;
  if (url.hostname !== `${bucket}.${hostname}`)
    throw refused('/path_style', 'must be true for an endpoint that is an address');
}

/** Returns true for an origin of EXPORT_S3_ENDPOINTS. `*` stands for one label or more at the left. */
export function isAllowed(config: Pick<Config, 'exportS3Endpoints'>, endpoint: string): boolean {
  return config.exportS3Endpoints.some((allowed) => {
    const [scheme = '', host = ''] = allowed.split('://');
    if (!host.startsWith('*.')) return endpoint === allowed;
    const begin = `${scheme}://`;
    const labels = endpoint.slice(begin.length, -(host.length - 1));
    return (
      endpoint.startsWith(begin) &&
      endpoint.endsWith(host.slice(1)) &&
      /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(labels)
    );
  });
}

/** An `invalid_request` that points at a field. */
export function refused(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', `The destination is not valid: ${pointer.slice(1)} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}
