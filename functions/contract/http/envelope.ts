import { type ErrorCode, errorStatus } from '../shared/errors.ts';
import { serverSentEvent } from '../shared/server-sent-event.ts';
import type { ResponseFormat } from './response-format.ts';

/** The four fields of every JSON response (docs/specification.md#response-envelope-all-json-responses). */
export interface Envelope<Data = unknown> {
  message: string;
  error: boolean;
  data: Data | null;
  status: number;
}

/** An error response: the four fields, and `detail`, one sentence naming the field and the rule (docs/design/http.md#error-text). */
export interface ErrorEnvelope extends Envelope<null> {
  message: ErrorCode;
  detail: string;
}

const successEnvelope = (status: number, message: string, data: unknown): Envelope => ({
  message,
  error: false,
  data,
  status,
});

export const errorEnvelope = (code: ErrorCode, detail: string): ErrorEnvelope => ({
  message: code,
  error: true,
  data: null,
  status: errorStatus[code],
  detail,
});

/** The specification's responses; a stream is envelopes STREAM_CHUNK, then STREAM_COMPLETE, or an error envelope. */
export const envelopeFormat: ResponseFormat = {
  success: successEnvelope,
  error: ({ code, detail }) => errorEnvelope(code, detail),
  errorHeaders: () => ({}),
  chunkEvent: (data) => serverSentEvent(successEnvelope(200, 'STREAM_CHUNK', data)),
  endEvent: () => serverSentEvent(successEnvelope(200, 'STREAM_COMPLETE', null)),
  errorEvent: ({ code, detail }) => serverSentEvent(errorEnvelope(code, detail)),
};
