import { Anchor } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { models } from '#contract/inference/models.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import { formatWait } from '../lib/format.ts';
import { Notice } from './notice.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** The model of a call: only there may another plan help. */
  readonly model?: string | undefined;
  /** True where a password was asked for: a new one helps who tried too often. */
  readonly asksPassword?: boolean | undefined;
}

/** Why something did not work, in a sentence, with the way out. */
export function ErrorNotice({ error: thrown, onRetry, model, asksPassword = false }: ErrorNoticeProps) {
  const error = toApiError(thrown);
  const wait = useCountdown(error);
  const retry = onRetry && wait === 0 && (
    <Anchor component="button" type="button" onClick={onRetry}>
      Try again
    </Anchor>
  );
  return (
    <Notice
      tone={error.status === 402 || error.status === 429 ? 'warning' : 'error'}
      actions={wayOut(error, retry, model)}
    >
      {error.code === 'RATE_LIMIT_EXCEEDED' && model === undefined
        ? tooManyAttempts(wait, asksPassword)
        : sentence(error, wait)}
    </Notice>
  );
}

function sentence(error: ApiError, wait: number): string {
  if (error.code === 'INSUFFICIENT_CREDITS')
    return `Your credits are used up, so the call was refused. ${error.message}`;
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return wait > 0 ? `${error.message} You can go on in ${wait} s.` : `${error.message} You can go on now.`;
  if (error.status >= 500 && error.requestId !== undefined) return `${error.message} (request ${error.requestId})`;
  return error.message;
}

/** The service's own sentence says the wait as it was, which goes on here. */
function tooManyAttempts(wait: number, asksPassword: boolean): ReactNode {
  if (wait === 0) return 'Too many attempts. You can try again now.';
  return (
    <>
      Too many attempts. Try again in {formatWait(wait)}
      {asksPassword && (
        <>
          , or <Link href="/forgot-password">reset your password</Link>
        </>
      )}
      .
    </>
  );
}

function wayOut(error: ApiError, retry: ReactNode, model: string | undefined): ReactNode {
  if (error.code === 'INSUFFICIENT_CREDITS') return <Link href="/plans">Look at the plans</Link>;
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return model === undefined ? (
      retry || undefined
    ) : (
      <>
        {retry}
        <Link href="/plans">Plans with a higher limit</Link>
      </>
    );
  if (error.code === 'INSUFFICIENT_PERMISSIONS' && isReserved(model))
    return <Link href="/plans">See what each plan includes</Link>;
  if (error.code === 'ACCOUNT_NOT_CONFIRMED') return <Link href="/">Have the confirmation mail sent again</Link>;
  return error.status === 0 || error.status >= 500 ? retry : undefined;
}

const isReserved = (model: string | undefined): boolean =>
  models.some(({ id, minPlanRank }) => id === model && minPlanRank > 1);

/** Seconds that are left until the service says that trying again makes sense. */
function useCountdown(error: ApiError): number {
  const [left, setLeft] = useState(error.retryAfterSeconds ?? 0);
  useEffect(() => {
    const end = Date.now() + (error.retryAfterSeconds ?? 0) * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
