import type { Wing } from '../../core/hooks/wing.ts';
import { PUSH_ACTIONS } from './actions.ts';
import * as closingJobs from './closing/jobs.ts';
import { focusClosedRows } from './closing/model.ts';
import * as destinationJobs from './destinations/jobs.ts';
import { findMadeDestinations } from './destinations/manage-destinations.ts';
import { measureBehind } from './destinations/measure-behind.ts';
import * as metrics from './destinations/metrics.ts';
import {
  destinationRows,
  destinationSecrets,
  exportPartitionRows,
  exportRunRetention,
  exportRunRows,
} from './destinations/model.ts';
import { organizationFields, settings } from './settings.ts';

export const push: Wing = {
  name: 'push',
  collections: [focusClosedRows, destinationRows, exportRunRows, exportPartitionRows],
  jobs: [...Object.values(closingJobs), ...Object.values(destinationJobs)],
  metrics: Object.values(metrics),
  retention: [exportRunRetention],
  actions: PUSH_ACTIONS,
  secrets: [destinationSecrets],
  person: { made: { destinations: findMadeDestinations } },
  gauges: { worker: measureBehind },
  fields: { organizations: organizationFields },
  settings,
};
