import { applyRepricing as applyPartsOfRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { applyRepricingJob } from '../../shared/wings/prices/repricing/jobs.ts';
import { dueJobRow, oneOfOrganization } from '../job-row.ts';

/** One of an organization at a time, so that none holds all places. */
export const applyRepricing = dueJobRow(applyRepricingJob, {
  concurrency: 2,
  work: oneOfOrganization(applyRepricingJob, applyPartsOfRepricing),
});
