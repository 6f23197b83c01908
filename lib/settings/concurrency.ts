import * as v from 'valibot';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes } from '#contract/routes.ts';

const Instances = v.pipe(v.number(), v.integer(), v.minValue(1, 'must be 1 or more'));

const routeIds = new Set(allRoutes.map(({ id }) => id));
const jobIds = new Set(allJobs.map(({ id }) => id));
const queueJobs = allJobs.filter(({ trigger }) => 'queue' in trigger).map(({ id }) => id);

/**
 * Lambda polls a queue with five connections (AWS "Configuring scaling behavior for SQS event source mappings"): with less
 * concurrency, messages are received, throttled, and given up before their tries.
 */
const minQueueConcurrency = 5;

export const ProvisionedConcurrency = v.pipe(
  v.record(v.string(), Instances),
  v.check((given) => Object.keys(given).every((id) => routeIds.has(id)), 'must name routes by their id'),
);

export const ReservedConcurrency = v.pipe(
  v.record(v.string(), Instances),
  v.check((given) => Object.keys(given).every((id) => jobIds.has(id)), `must name jobs: ${[...jobIds].join(', ')}`),
  v.check(
    (given) => queueJobs.every((id) => (given[id] ?? minQueueConcurrency) >= minQueueConcurrency),
    `must be ${minQueueConcurrency} or more for a job on a queue: ${queueJobs.join(', ')}`,
  ),
);

interface Allocated {
  readonly provisionedConcurrency: v.InferOutput<typeof ProvisionedConcurrency>;
  readonly reservedConcurrency: v.InferOutput<typeof ReservedConcurrency>;
}

/** Concurrency that a stage takes from its account all the time. */
export const allocatedConcurrency = ({ provisionedConcurrency, reservedConcurrency }: Allocated): number =>
  [provisionedConcurrency, reservedConcurrency].flatMap(Object.values<number>).reduce((sum, one) => sum + one, 0);
