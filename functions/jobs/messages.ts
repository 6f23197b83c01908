import { receiptIn } from '#domain/messages/receipts.ts';
import { webhookEventsJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

/** The failure of one message does not delay the others (docs/adr/0011-typed-jobs.md). */
export const dispatchMessages = webhookEventsJob;

/** Events may be delivered repeatedly, out of order, and for messages sent by other applications. */
export const recordReceipts =
  () =>
  async (event: unknown): Promise<void> => {
    const receipt = receiptIn(event);
    if (!receipt) return logger().info('ignored a receipt');
    const receipts = (await services().messages()).receipts();
    const isNew = await receipts.record(receipt);
    const { status } = receipt;
    const about = 'carrierId' in receipt ? { carrierId: receipt.carrierId } : { messageId: receipt.id };
    logger().info('receipt', { ...about, status, isNew });
  };
