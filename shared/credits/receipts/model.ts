import { collection } from '../../platform/mongo/collection.ts';

/** The public half of a key that has signed. Old ones stay, so that old receipts can be checked. */
export interface SigningKey {
  /** The `kid`. */
  _id: string;
  x: string;
  created_at: Date;
}

export const signingKeyRows = collection<SigningKey>('signing_keys', {});
