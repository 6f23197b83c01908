import { useRef } from 'react';
import { toApiError } from './response.ts';

/**
 * Returns a function that sends an action at most once. After a lost response, a repetition with the same values has the
 * same Idempotency-Key. A refusal discards the key, because the same action may succeed later.
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
