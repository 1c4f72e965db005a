import type { Wing } from '../../core/hooks/wing.ts';

export const exports: Wing = { name: 'exports' };
