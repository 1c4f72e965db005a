import type { Wing } from '../../core/hooks/wing.ts';
import { optional } from '../../platform/mongo/fields.ts';

export const exports: Wing = {
  name: 'exports',
  fields: { organizations: { focus_closed_through: optional(String) } },
};
