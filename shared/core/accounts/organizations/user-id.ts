import { kept } from '../../../platform/mongo/fields.ts';

/** The id that an organization has given to its user. */
export const userId = kept(
  String,
  'an id that the organization chose: sums, the ledger and the audit log go by it',
);
