import { ForbiddenAddress } from './guarded-connector.ts';

const sentences: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'The host name could not be resolved.',
  ENOTFOUND: 'The host name could not be resolved.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  EPIPE: 'The connection was reset.',
  ETIMEDOUT: 'No connection was made in time.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection was made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The response has too many headers.',
  UND_ERR_SOCKET: 'The connection was closed before a response.',
};

/** Why there was no response, for the webhook's owner: a sentence without addresses. */
export function failureText(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'The host has an address that is not public.';
  const code = codeOf(error);
  const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `TLS failed: ${code}.`;
  if (error instanceof Error && error.name === 'HTTPParserError') return 'The response is not valid HTTP.';
  return 'The request failed.';
}

/** Of several addresses that were tried, the first one's. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && !hasCode(error)) return codeOf(error.errors[0]);
  return hasCode(error) ? error.code : '';
}

const hasCode = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
