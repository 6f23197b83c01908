import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Route } from '#contract/http/route.ts';
import { type ApiError, toApiError } from './api-error.ts';
import { call } from './call.ts';
import type { Data, DataRoute } from './response.ts';
import type { Input } from './send.ts';

interface ReadOptions {
  readonly enabled?: boolean;
  /** Shows the data of the input before until that of the new one is there. */
  readonly keep?: boolean;
}

/** The data of a route, kept and renewed under its id and input. */
export function useData<R extends DataRoute>(
  route: R,
  input: Input<R>,
  { enabled = true, keep = false }: ReadOptions = {},
): UseQueryResult<Data<R>> {
  return useQuery({
    queryKey: [route.id, input],
    queryFn: ({ signal }): Promise<Data<R>> => call(route, input, { signal }),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

export interface Action<Order, Result> {
  readonly run: (order: Order) => Promise<Result | undefined>;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * Something a person does. `run` resolves with undefined when it failed; `error` then says why. What the routes in
 * `touches` had answered is asked for anew.
 */
export function useAction<Order, Result>(
  act: (order: Order) => Promise<Result>,
  touches: readonly Route[] = [],
): Action<Order, Result> {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: () => Promise.all(touches.map(({ id }) => client.invalidateQueries({ queryKey: [id] }))),
  });
  return {
    run: (order) => mutation.mutateAsync(order).catch(() => undefined),
    isRunning: mutation.isPending,
    error: mutation.error && toApiError(mutation.error),
    reset: mutation.reset,
  };
}
