import { useEffect, useRef, useState } from 'react';
import { documentAccount } from '../../api/account.ts';
import { confirmAccount } from '../../api/call.ts';
import { ApiError } from '../../api/response.ts';
import { withPlaygroundKey } from '../playground/exchange/playground-key.ts';
import { headersOf, type SampleRequest, targetOf } from './samples.ts';

/** Sends one request at a time. */
export function useTrial() {
  const [response, setResponse] = useState<TrialResponse>();
  const [failure, setFailure] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  async function send(request: SampleRequest, credential: TrialCredential): Promise<void> {
    const { signal } = (control.current = new AbortController());
    setResponse(undefined);
    setFailure(undefined);
    setRunning(true);
    try {
      await runTrial(request, credential, signal, setResponse);
    } catch (error) {
      if (signal.aborted) setFailure('Stopped.');
      else
        setFailure(error instanceof ApiError ? error.message : 'The request failed, or its response was interrupted.');
    } finally {
      setRunning(false);
    }
  }

  return { response, failure, isRunning, send, stop: () => control.current?.abort() };
}

/** An entered key, a key created for this request that expires after 15 minutes, the session, or nothing. */
export type TrialCredential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'temporary' | 'session' | 'none' };

export interface TrialResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** The part of the body received so far, at most `maxShownCharacters`. */
  readonly text: string;
  /** Characters beyond that maximum. */
  readonly omitted: number;
  readonly isComplete: boolean;
  readonly ms: number;
}

const maxShownCharacters = 100_000;

/** Sends a request to this origin and reports its response as it arrives. Rejects if the response breaks off. */
async function runTrial(
  request: SampleRequest,
  credential: TrialCredential,
  signal: AbortSignal,
  onProgress: (response: TrialResponse) => void,
): Promise<void> {
  if (credential.kind === 'temporary')
    return withPlaygroundKey((key) => sendTrial(request, key, false, signal, onProgress));
  // Another tab may have changed the session cookie's account.
  if (credential.kind === 'session' && documentAccount() !== undefined) await confirmAccount();
  const key = credential.kind === 'key' ? credential.key : undefined;
  return sendTrial(request, key, credential.kind !== 'key', signal, onProgress);
}

async function sendTrial(
  request: SampleRequest,
  key: string | undefined,
  hasCookie: boolean,
  signal: AbortSignal,
  onProgress: (response: TrialResponse) => void,
): Promise<void> {
  const { operation, body } = request;
  const began = performance.now();
  const hasBody = operation.body !== null && body.trim() !== '';
  const response = await fetch(targetOf(request), {
    method: operation.method,
    headers: {
      ...Object.fromEntries(headersOf(request)),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    credentials: hasCookie ? 'same-origin' : 'omit',
    redirect: 'error',
    signal,
    ...(hasBody && { body }),
  });
  const { status } = response;
  const headers = [...response.headers];
  let text = '';
  let omitted = 0;
  const report = (isComplete: boolean): void =>
    onProgress({ status, headers, text, omitted, isComplete, ms: performance.now() - began });
  report(false);
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const room = Math.max(0, maxShownCharacters - text.length);
    text += piece.slice(0, room);
    omitted += Math.max(0, piece.length - room);
    report(false);
  }
  report(true);
}
