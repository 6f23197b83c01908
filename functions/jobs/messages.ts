import { receiptIn } from '#domain/messages/receipts.ts';
import { orderedChangeJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const dispatchMessages = () =>
  orderedChangeJob(async (change) => (await services().webhooks()).dispatchMessage(change));

/** May get an event more than once, a later one before an earlier one, and events of messages that others have sent. */
export const recordReceipts =
  () =>
  async (event: unknown): Promise<void> => {
    const receipt = receiptIn(event);
    if (!receipt) return logger().info('a receipt without consequences');
    const receipts = (await services().messages()).receipts();
    const isNew = await receipts.record(receipt);
    const { status } = receipt;
    const about = 'carrierId' in receipt ? { carrierId: receipt.carrierId } : { messageId: receipt.id };
    logger().info('receipt', { ...about, status, isNew });
  };
