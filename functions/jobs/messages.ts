import { receiptIn } from '#domain/messages/receipts.ts';
import { orderedChangeJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const dispatchMessages = () =>
  orderedChangeJob(async (change) => (await services().webhooks()).dispatchMessage(change));

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
