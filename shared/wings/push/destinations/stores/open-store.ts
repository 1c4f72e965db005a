import { join } from 'node:path';
import { decryptSecret } from '../../../../core/events/webhooks/endpoints/encrypt-secret.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { ExportFailure } from '../failures.ts';
import type { Destination } from '../model.ts';
import { isAllowed } from '../refuse-place.ts';
import { folderStore } from './folder.ts';
import { s3Store } from './s3.ts';
import type { ObjectStore } from './store.ts';

/** The place of a destination. Throws `not_allowed` where the operator allows it no longer. */
export function openStore(
  { config }: Pick<Context, 'config'>,
  destination: Destination,
  signal?: AbortSignal,
): ObjectStore {
  const { _id, org_id, bucket, secret } = destination;
  if (bucket === null || secret === null) {
    if (config.exportFolder === undefined) throw new ExportFailure('not_allowed', 'EXPORT_FOLDER');
    return folderStore(join(config.exportFolder, org_id));
  }
  if (!isAllowed(config, bucket.endpoint)) throw new ExportFailure('not_allowed', 'EXPORT_S3_ENDPOINTS');
  const secretAccessKey = decryptSecret(config, _id, secret);
  return s3Store(bucket, { secretAccessKey, timeScale: config.timeScale, signal });
}
