import type { Refusal } from '../shared/errors.ts';

export type FormatName = 'envelope' | 'openai';

/** How responses are written: the same data and refusals, in one format or another. */
export interface ResponseFormat {
  success(status: number, message: string, data: unknown): unknown;
  error(refusal: Refusal): unknown;
  /** What this format adds to the headers of a refusal. */
  errorHeaders(refusal: Refusal): Readonly<Record<string, string>>;
  /** The events of a stream: a chunk, the one after the last chunk, and the one in its place where it broke off. */
  chunkEvent(data: unknown): string;
  endEvent(): string;
  errorEvent(refusal: Refusal): string;
}

/** The format of everything at a path, whether or not there is a route (docs/design/http.md#openai-clients). */
export function formatNameOf(path: string): FormatName {
  return path === '/openai' || path.startsWith('/openai/') ? 'openai' : 'envelope';
}
