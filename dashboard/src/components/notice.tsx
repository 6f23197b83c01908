import { Anchor, Button, type ButtonProps, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { models } from '#contract/inference/models.ts';
import { useSellsCredits } from '../api/config.ts';
import { type ApiError, toApiError } from '../api/response.ts';
import { formatWait } from '../lib/format.ts';
import { Icon, type IconName } from './icon.tsx';
import css from './notice.module.css';

interface NoticeProps {
  readonly tone: 'info' | 'warning' | 'error';
  readonly icon?: IconName;
  readonly children: ReactNode;
  /** Links and buttons that help to resolve the problem. */
  readonly actions?: ReactNode;
}

/** A highlighted sentence with its actions. Screen readers announce errors immediately. */
export function Notice({ tone, icon = tone === 'info' ? 'info' : 'alert', children, actions }: NoticeProps) {
  return (
    <div className={[css.notice, css[tone]].join(' ')} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>
        {children}
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </div>
    </div>
  );
}

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** Model of a call. For its rate limit and its permissions, the notice links to the plans. */
  readonly model?: string | undefined;
  /** True for a form with a password: after too many attempts it offers a reset. */
  readonly asksPassword?: boolean | undefined;
}

/** Explains an error and offers a way to resolve it. */
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

/** The limit of calls per month and the spending cap have the same code as too few credits. */
const monthlyLimit = /calls per month/;
const spendingCap = /spending cap/;

function creditsTitle(message: string): string {
  if (monthlyLimit.test(message) || spendingCap.test(message)) return '';
  return /(?<![\d.])0 (?:credits )?(?:are )?left/.test(message) ? "You're out of credits. " : 'Not enough credits. ';
}

/** The service's message contains the initial wait, which this notice counts down. */
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
  if (error.code === 'INSUFFICIENT_CREDITS' && spendingCap.test(error.message))
    return <Link href="/usage">View the cap</Link>;
  if (error.code === 'INSUFFICIENT_CREDITS') return <MoreCredits isMonthlyLimit={monthlyLimit.test(error.message)} />;
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

/** Bought credits do not raise the limit of calls per month. */
function MoreCredits({ isMonthlyLimit }: { isMonthlyLimit: boolean }) {
  const sellsCredits = useSellsCredits();
  return (
    <>
      {sellsCredits && !isMonthlyLimit && <Link href="/billing">Buy credits</Link>}
      <Link href="/plans">View plans</Link>
    </>
  );
}

const isReserved = (model: string | undefined): boolean =>
  models.some(({ id, minPlanRank }) => id === model && minPlanRank > 1);

/** Seconds left of `Retry-After`. */
export function useCountdown(error: ApiError): number {
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

interface FormFootProps extends ButtonProps {
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly asksPassword?: boolean;
  /** Label of the submit button. */
  readonly children: ReactNode;
}

/** The submit button of a form, with an error that belongs to no field. */
export function FormFoot({ error, isRunning, asksPassword, children, ...button }: FormFootProps) {
  return (
    <Stack gap="sm" mt="xs">
      {error && <ErrorNotice error={error} asksPassword={asksPassword} />}
      <Button type="submit" loading={isRunning} {...button}>
        {children}
      </Button>
    </Stack>
  );
}
