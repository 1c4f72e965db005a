import type { Wing } from '../../core/hooks/wing.ts';

export const purchases: Wing = { name: 'purchases' };
