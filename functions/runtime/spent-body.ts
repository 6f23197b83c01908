import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Ends the body of a reply, and waits until what it does at its end is done: Lambda stops the process as soon as its
 * handler is. A body whose reader was gone before it began has been read by nobody, nor ended (Node's `pipeline` refuses a
 * closed stream and leaves the other as it is); its model would go on, and its hold stay open.
 */
export async function spendBody(body: Readable): Promise<void> {
  const closed = finished(body).catch(() => undefined);
  body.destroy();
  await closed;
}
