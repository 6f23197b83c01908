import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Route } from '#contract/http/route.ts';
import { type ApiError, toApiError } from './response.ts';

export interface Action<Values, Result> {
  readonly run: (values: Values) => Promise<Result | undefined>;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * An action of the user. If it fails, `run` resolves with undefined and `error` contains the reason. If it succeeds,
 * the routes in `invalidates` are read again.
 */
export function useAction<Values, Result>(
  act: (values: Values) => Promise<Result>,
  invalidates: readonly Route[] = [],
): Action<Values, Result> {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: () => Promise.all(invalidates.map(({ id }) => client.invalidateQueries({ queryKey: [id] }))),
  });
  return {
    run: (values) => mutation.mutateAsync(values).catch(() => undefined),
    isRunning: mutation.isPending,
    error: mutation.error && toApiError(mutation.error),
    reset: mutation.reset,
  };
}

/**
 * Returns a function that sends an action at most once. After a lost response, a repetition with the same values has
 * the same Idempotency-Key. A refusal discards the key, because the same action may succeed later.
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
