import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Route } from '#contract/http/route.ts';
import { call } from './call.ts';
import { type ApiError, toApiError } from './http/api-error.ts';
import type { Data, DataRoute } from './http/response.ts';
import type { Input } from './http/send.ts';

interface ReadOptions {
  readonly enabled?: boolean;
  /** Shows the previous input's data until the new input's is loaded. */
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

export interface Action<Values, Result> {
  readonly run: (values: Values) => Promise<Result | undefined>;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * An action of the user. `run` resolves with undefined when it failed; `error` then has the reason. Responses of the
 * routes in `invalidates` are fetched again.
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
