import * as v from 'valibot';
import { jobs } from '#contract/jobs.ts';
import { PaymentWork } from '#contract/payments/payments.ts';
import { queueJob } from '#runtime/jobs/queue-job.ts';
import { workSignal } from '#runtime/jobs/work-signal.ts';
import { services } from '#runtime/services/container.ts';
import { logger, recordPaymentDifferences } from '#runtime/telemetry.ts';

export const handlePayments = () =>
  queueJob(async (message) => (await services().payments()).handle(v.parse(PaymentWork, message)));

export const sweepPayments = () => async (): Promise<void> => {
  const queued = await services().queueDuePayments(workSignal(jobs.sweepPayments));
  if (queued > 0) logger().info('queued', { payments: queued });
};

export const reconcilePayments = () => async (): Promise<void> => {
  const { reconciliation } = await services().payments();
  const { payments, differences } = await reconciliation.fromProvider(undefined, workSignal(jobs.reconcilePayments));
  for (const { id, problem } of differences)
    logger().error('a payment and its credits differ', { payment: id, problem });
  recordPaymentDifferences(differences.length);
  logger().info('compared', { payments, differences: differences.length });
};
