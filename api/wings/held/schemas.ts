import { z } from 'zod';
import { CORRECTED_PER_REQUEST } from '../../../shared/platform/basics/contract.ts';
import { text } from '../../../shared/platform/basics/text.ts';
import { decisionView } from '../../../shared/wings/held/decide.ts';
import { uniqueIds } from '../../schemas/params.ts';

export const heldIds = z.strictObject({
  ids: uniqueIds(text(128), CORRECTED_PER_REQUEST).describe('Ids of held signals'),
});

/** The answer to it. */
export const decisions = z.strictObject({
  results: z.array(decisionView).describe('One result per id, in order'),
});
