import type { ApiWing } from '../../hooks/wing.ts';
import { search as searchAll } from './search.ts';

export const search: ApiWing = {
  name: 'search',
  sections: [{ after: 'GET /api/v1/organization', routes: [searchAll] }],
};
