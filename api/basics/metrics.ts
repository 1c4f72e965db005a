import { counter, histogram } from '../../shared/platform/basics/metrics.ts';

export const httpSeconds = histogram({
  name: 'governor_http_request_seconds',
  help: 'Time to answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

export const requestsShed = counter({
  name: 'governor_requests_shed_total',
  help: 'Requests refused to protect the others.',
  labelNames: ['priority'],
  shown: [{ priority: 'export' }, { priority: 'read' }, { priority: 'ingest' }, { priority: 'consume' }],
});
