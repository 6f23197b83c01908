import { errorEnvelope, successEnvelope } from '#contract/envelope.ts';
import type { EventFormat } from './event-stream.ts';

const event = (envelope: unknown): string => `data: ${JSON.stringify(envelope)}\n\n`;

/** The specification's stream: envelopes STREAM_CHUNK, then STREAM_COMPLETE, or an error envelope where it broke off. */
export const envelopedEvents: EventFormat = {
  chunk: (data) => event(successEnvelope(200, 'STREAM_CHUNK', data)),
  end: () => event(successEnvelope(200, 'STREAM_COMPLETE', null)),
  failure: (error) => event(errorEnvelope(error.code, error.message)),
};
