import { useRef } from 'react';
import { toApiError } from './http/api-error.ts';

/**
 * Sends an action so that it is done once: a repeat with the same values, after a response that was lost, carries the same
 * Idempotency-Key. A refusal ends it, as the same action may be possible later.
 */
export function useOnce() {
  const sent = useRef<{ readonly values: string; readonly key: string }>(undefined);
  return async function once<Values, Result>(values: Values, send: (key: string) => Promise<Result>): Promise<Result> {
    const text = JSON.stringify(values);
    if (sent.current?.values !== text) sent.current = { values: text, key: crypto.randomUUID() };
    try {
      const result = await send(sent.current.key);
      sent.current = undefined;
      return result;
    } catch (error) {
      const { status, code } = toApiError(error);
      if (status >= 400 && status < 500 && code !== 'REQUEST_IN_PROGRESS') sent.current = undefined;
      throw error;
    }
  };
}
