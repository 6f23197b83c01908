import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { models } from '#contract/inference/models.ts';
import { type ApiError, toApiError } from '../../api/http/api-error.ts';
import { formatWait } from '../../lib/format.ts';
import { Notice } from './notice.tsx';
import { useCountdown } from './use-countdown.ts';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** The model of a call: only there may another plan help. */
  readonly model?: string | undefined;
  /** True where the form has a password: after too many attempts a reset helps. */
  readonly asksPassword?: boolean | undefined;
}

/** Why something did not work, in a sentence, with the way out. */
export function ErrorNotice({ error: thrown, onRetry, model, asksPassword = false }: ErrorNoticeProps) {
  const error = toApiError(thrown);
  const wait = useCountdown(error);
  const retry = onRetry && wait === 0 && (
    <Anchor component="button" type="button" onClick={onRetry}>
      Retry
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
  if (error.code === 'INSUFFICIENT_CREDITS') return `${creditsTitle(error.message)}${error.message}`;
  if (error.code === 'ACCOUNT_NOT_CONFIRMED')
    return 'Confirm your email first. Open the link in the email we sent when you registered.';
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return wait > 0 ? `${error.message} Retry in ${wait} s.` : `${error.message} Retry now.`;
  if (error.status >= 500 && error.requestId !== undefined) return `${error.message} (request ID ${error.requestId})`;
  return error.message;
}

/** The code stands for credits that do not suffice, and for a plan's calls per month. */
function creditsTitle(message: string): string {
  if (/calls per month/.test(message)) return '';
  return /(?<![\d.])0 (?:credits )?(?:are )?left/.test(message) ? "You're out of credits. " : 'Not enough credits. ';
}

/** The service's own sentence has the initial wait, which is counted down here. */
function tooManyAttempts(wait: number, asksPassword: boolean): ReactNode {
  if (wait === 0) return 'Too many attempts. Try again now.';
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
  if (error.code === 'INSUFFICIENT_CREDITS') return <Link href="/plans">View plans</Link>;
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return model === undefined ? (
      retry || undefined
    ) : (
      <>
        {retry}
        <Link href="/plans">View plans with a higher limit</Link>
      </>
    );
  if (error.code === 'INSUFFICIENT_PERMISSIONS' && isReserved(model)) return <Link href="/plans">Compare plans</Link>;
  if (error.code === 'ACCOUNT_NOT_CONFIRMED') return <Link href="/">Resend the confirmation email</Link>;
  return error.status === 0 || error.status >= 500 ? retry : undefined;
}

const isReserved = (model: string | undefined): boolean =>
  models.some(({ id, minPlanRank }) => id === model && minPlanRank > 1);
