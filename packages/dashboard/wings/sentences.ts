import type { AuditedWing } from '../hooks/wing.ts';
import { anomalies } from './anomalies/sentences.ts';
import { held } from './held/sentences.ts';
import { prices } from './prices/sentences.ts';
import { push } from './push/sentences.ts';
import { raises } from './raises/sentences.ts';
import { work } from './work/sentences.ts';

/** The actions of wings in the audit log. The page of the log alone loads them. */
export const AUDITED_WINGS: readonly AuditedWing[] = [raises, work, held, anomalies, push, prices];
