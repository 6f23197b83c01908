import { useMutation, useQueryClient } from '@tanstack/react-query';
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
