import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Outcome } from './attempt.ts';

/**
 * The whole body of an answer of 200; what is anything else, or breaks before its end, stays an outcome for the SDK, whose
 * reader is then to meet the same break.
 */
export async function bodyOf(outcome: Outcome): Promise<string | Outcome> {
  if ('error' in outcome || outcome.reply.statusCode !== 200) return outcome;
  const { reply } = outcome;
  try {
    return await readBody(reply);
  } catch (error) {
    return { reply, body: broken(error) };
  }
}

function readBody(body: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const parts: Buffer[] = [];
  body.on('data', (part: Buffer) => parts.push(part));
  body.once('end', () => resolve((parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString()));
  body.once('error', reject);
  return promise;
}

function broken(error: unknown): Readable {
  return new Readable({
    read() {
      this.destroy(error instanceof Error ? error : new Error('the body broke'));
    },
  });
}
