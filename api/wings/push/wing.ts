import { z } from 'zod';
import { settings } from '../../../shared/wings/push/settings.ts';
import type { ApiWing } from '../../hooks/wing.ts';
import { createDestination } from './create-destination.ts';
import { deleteDestination } from './delete-destination.ts';
import { events } from './events.ts';
import { getDestination } from './get-destination.ts';
import { getExportRun } from './get-export-run.ts';
import { listDestinations } from './list-destinations.ts';
import { listExportPartitions } from './list-export-partitions.ts';
import { listExportRuns } from './list-export-runs.ts';
import { runDestination } from './run-destination.ts';
import { testDestination } from './test-destination.ts';
import { updateDestination } from './update-destination.ts';

export const push: ApiWing = {
  name: 'push',
  settings,
  sections: [
    {
      after: 'GET /api/v1/usage',
      routes: [
        createDestination,
        listDestinations,
        getDestination,
        updateDestination,
        deleteDestination,
        testDestination,
        runDestination,
        listExportRuns,
        getExportRun,
        listExportPartitions,
      ],
    },
  ],
  events,
  made: {
    destinations: z
      .array(z.strictObject({ id: z.string(), name: z.string(), bucket: z.string().nullable() }))
      .describe('Destinations of exports'),
  },
};
