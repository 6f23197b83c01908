import { useLocationProperty } from 'wouter/use-browser-location';

/** What the URL has after its `#`, decoded; empty where there is nothing. */
export const useHash = (): string =>
  useLocationProperty(
    () => decoded(window.location.hash.slice(1)),
    () => '',
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
