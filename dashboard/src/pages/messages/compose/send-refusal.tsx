import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { ApiError } from '../../../api/http/api-error.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useCountdown } from '../../../components/feedback/use-countdown.ts';
import { formatWait } from '../../../lib/format.ts';

interface SendRefusalProps {
  readonly error: ApiError;
  readonly onRetry: () => void;
}

/** Why a message was not sent, and what to do. */
export function SendRefusal({ error, onRetry }: SendRefusalProps) {
  if (error.code === 'RATE_LIMIT_EXCEEDED') return <TooMany error={error} onRetry={onRetry} />;
  if (error.code === 'INSUFFICIENT_PERMISSIONS')
    return (
      <Notice tone="warning" actions={<Link href="/plans">Compare plans</Link>}>
        {error.message}
      </Notice>
    );
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

/** The limit, as the service names it; its wait is counted down here. */
function TooMany({ error, onRetry }: SendRefusalProps) {
  const wait = useCountdown(error);
  const retry = (
    <Anchor component="button" type="button" onClick={onRetry}>
      Retry
    </Anchor>
  );
  return (
    <Notice tone="warning" actions={wait === 0 && retry}>
      {error.message.replace(/[;,.] (?:try|retry) again in \d+ s\.?$/i, '.')}{' '}
      {wait > 0 ? `This message was not sent. Try again in ${formatWait(wait)}.` : 'Try again now.'}
    </Notice>
  );
}
