import { z } from 'zod';
import { RAISE_STATES } from '../../../shared/wings/raises/model.ts';
import type { ApiWing } from '../../hooks/wing.ts';
import { approveRaise } from './approve-raise.ts';
import { askForOwnRaise } from './ask-for-own-raise.ts';
import { askForRaise } from './ask-for-raise.ts';
import { denyRaise } from './deny-raise.ts';
import { events } from './events.ts';
import { getOwnRaise } from './get-own-raise.ts';
import { getRaise } from './get-raise.ts';
import { listOwnRaises } from './list-own-raises.ts';
import { listRaises } from './list-raises.ts';
import { revokeRaise } from './revoke-raise.ts';
import { withdrawOwnRaise } from './withdraw-own-raise.ts';
import { withdrawRaise } from './withdraw-raise.ts';

export const raises: ApiWing = {
  name: 'raises',
  sections: [
    {
      after: 'ANY /gate',
      routes: [
        askForRaise,
        listRaises,
        getRaise,
        withdrawRaise,
        askForOwnRaise,
        listOwnRaises,
        getOwnRaise,
        withdrawOwnRaise,
        approveRaise,
        denyRaise,
        revokeRaise,
      ],
    },
  ],
  events,
  problems: {
    conflict: {
      raise_status: z.enum(RAISE_STATES).optional().describe('The state of a raise that is answered'),
    },
  },
};
