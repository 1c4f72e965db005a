import type { Wing } from '../../core/hooks/wing.ts';

export const search: Wing = { name: 'search' };
