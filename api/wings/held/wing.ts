import { settings } from '../../../shared/wings/held/settings.ts';
import type { ApiWing } from '../../hooks/wing.ts';
import { discardHeldSignals } from './discard-held-signals.ts';
import { events } from './events.ts';
import { listHeldSignals } from './list-held-signals.ts';
import { releaseHeldSignals } from './release-held-signals.ts';

export const held: ApiWing = {
  name: 'held',
  settings,
  sections: [
    { after: 'POST /otlp/v1/metrics', routes: [listHeldSignals, releaseHeldSignals, discardHeldSignals] },
  ],
  events,
};
