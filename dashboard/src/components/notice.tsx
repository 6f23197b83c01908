import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
      <Trans>Retry</Trans>
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
  const { message, requestId } = error;
  if (error.code === 'INSUFFICIENT_CREDITS')
    return [creditsTitle(error.message), error.message].filter(Boolean).join(' ');
  if (error.code === 'ACCOUNT_NOT_CONFIRMED')
    return t`Confirm your email first. Open the link in the email we sent when you registered.`;
  if (error.code === 'SECOND_FACTOR_NOT_ENABLED')
    return t`This organization requires two-step sign-in. Set up an authenticator app, or add a passkey and sign in with it.`;
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return wait > 0 ? t`${message} Retry in ${wait} s.` : t`${message} Retry now.`;
  if (error.status >= 500 && requestId !== undefined) return t`${message} (request ID ${requestId})`;
  return message;
}

/** The limit of calls per month and the spending cap have the same code as too few credits. */
const monthlyLimit = /calls per month/;
const spendingCap = /spending cap/;

function creditsTitle(message: string): string {
  if (monthlyLimit.test(message) || spendingCap.test(message)) return '';
  return /(?<![\d.])0 (?:credits )?(?:are )?left/.test(message) ? t`You're out of credits.` : t`Not enough credits.`;
}

/** The service's message contains the initial wait, which this notice counts down. */
function tooManyAttempts(wait: number, asksPassword: boolean): ReactNode {
  if (wait === 0) return t`Too many attempts. Try again now.`;
  const time = formatWait(wait);
  return asksPassword ? (
    <Trans>
      Too many attempts. Try again in {time}, or <Link href="/forgot-password">reset your password</Link>.
    </Trans>
  ) : (
    t`Too many attempts. Try again in ${time}.`
  );
}

function wayOut(error: ApiError, retry: ReactNode, model: string | undefined): ReactNode {
  if (error.code === 'INSUFFICIENT_CREDITS' && spendingCap.test(error.message))
    return (
      <Link href="/usage">
        <Trans>View the cap</Trans>
      </Link>
    );
  if (error.code === 'INSUFFICIENT_CREDITS') return <MoreCredits isMonthlyLimit={monthlyLimit.test(error.message)} />;
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return model === undefined ? (
      retry || undefined
    ) : (
      <>
        {retry}
        <Link href="/plans">
          <Trans>View plans with a higher limit</Trans>
        </Link>
      </>
    );
  if (error.code === 'INSUFFICIENT_PERMISSIONS' && isReserved(model))
    return (
      <Link href="/plans">
        <Trans>Compare plans</Trans>
      </Link>
    );
  if (error.code === 'ACCOUNT_NOT_CONFIRMED')
    return (
      <Link href="/">
        <Trans>Resend the confirmation email</Trans>
      </Link>
    );
  if (error.code === 'SECOND_FACTOR_NOT_ENABLED') return <TwoStepLink />;
  return error.status === 0 || error.status >= 500 ? retry : undefined;
}

export const twoStepHref = '/settings#two-step';

export const TwoStepLink = () => (
  <Link href={twoStepHref}>
    <Trans>Set up two-step sign-in</Trans>
  </Link>
);

/** Bought credits do not raise the limit of calls per month. */
function MoreCredits({ isMonthlyLimit }: { isMonthlyLimit: boolean }) {
  const sellsCredits = useSellsCredits();
  return (
    <>
      {sellsCredits && !isMonthlyLimit && (
        <Link href="/billing">
          <Trans>Buy credits</Trans>
        </Link>
      )}
      <Link href="/plans">
        <Trans>View plans</Trans>
      </Link>
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
