import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../api/http/api-error.ts';
import type { SampleRequest } from '../samples.ts';
import { runTrial, type TrialCredential, type TrialResponse } from './trial.ts';

/** One request at a time, with what came of its response. */
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
