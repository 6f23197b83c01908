import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

type Values = Readonly<Record<string, string | undefined>>;

/** The URL's query, and a change of some of its values, which adds no step to the browser's history; undefined removes one. */
export function useQuery(): readonly [URLSearchParams, (values: Values) => void] {
  const search = useSearch();
  const [, go] = useLocation();
  const change = useCallback(
    (values: Values) => {
      const query = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) query.delete(name);
        else query.set(name, value);
      }
      go(window.location.pathname + (query.size > 0 ? `?${query.toString()}` : ''), { replace: true });
    },
    [go],
  );
  return [new URLSearchParams(search), change];
}

/** A choice that the URL's query has under a name. The first one is the default, which is left out of the URL. */
export function useQueryChoice<const Choice extends string>(
  name: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: string | null) => void] {
  const [query, change] = useQuery();
  const wanted = query.get(name);
  const choice = choices.find((one) => one === wanted) ?? choices[0];
  return [choice, (next) => change({ [name]: next === null || next === choices[0] ? undefined : next })];
}
