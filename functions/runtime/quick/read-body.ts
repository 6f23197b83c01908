import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import type { Outcome } from './signed-transport.ts';

/**
 * The whole body of an answer of 200; what is anything else, or breaks before its end, stays an outcome for the SDK, whose
 * reader is then to meet the same break.
 */
export async function bodyOf(outcome: Outcome): Promise<{ body: Buffer } | Outcome> {
  if ('error' in outcome || outcome.response.statusCode !== 200) return outcome;
  const { response } = outcome;
  try {
    return { body: await readBody(response.body) };
  } catch (error) {
    const { statusCode, headers } = response;
    return { response: new HttpResponse({ statusCode, headers, body: broken(error) }) };
  }
}

function readBody(body: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  body.on('data', (part: Buffer) => parts.push(part));
  body.once('end', () => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
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
