import { type ErrorCode, errorStatus } from './errors.ts';

/** The four fields of every JSON answer (spec "Response envelope"). */
export interface Envelope<Data = unknown> {
  message: string;
  error: boolean;
  data: Data | null;
  status: number;
}

/** An error answer: the four fields, and `detail`, one sentence naming the field and the rule (design section 3). */
export interface ErrorEnvelope extends Envelope<null> {
  message: ErrorCode;
  detail: string;
}

export const successEnvelope = (status: number, message: string, data: unknown): Envelope => ({
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
