import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Skeleton, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { ApiError } from '../api/response.ts';
import { useTitle } from '../lib/focus.ts';
import { CodeLoadError } from '../lib/load.ts';
import css from './boundary.module.css';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Shown in place of children that threw. */
  readonly fallback: (error: unknown) => ReactNode;
}

interface ErrorBoundaryState {
  readonly caught?: { readonly error: unknown };
}

/** Limits an error to its children. Another `key` resets it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { caught: { error } };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    return caught ? this.props.fallback(caught.error) : this.props.children;
  }
}

/** Shown in place of a page that threw. Uses no providers, because they may be the cause. */
export function Failure({ error }: { error: unknown }) {
  const heading = useTitle(t`Something went wrong`);
  const { text, detail } = explained(error);
  return (
    <div className={css.failure} role="alert">
      <h1 ref={heading} tabIndex={-1}>
        <Trans>Something went wrong</Trans>
      </h1>
      <p>{text}</p>
      {detail !== undefined && <p className={css.detail}>{detail}</p>}
      <div className={css.actions}>
        <button type="button" onClick={() => window.location.reload()}>
          <Trans>Reload</Trans>
        </button>
        <a href="/">{t`Overview`}</a>
      </div>
    </div>
  );
}

/** Shown in place of a page whose texts could not be loaded, so its own are in English in every language. */
export function TextsFailure() {
  return (
    <div className={css.failure} role="alert" lang="en" dir="ltr">
      <h1>Something went wrong</h1>
      <p>Can't reach the server. Check your connection, then reload the page.</p>
      <div className={css.actions}>
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </div>
    </div>
  );
}

function explained(error: unknown): { text: string; detail?: string | undefined } {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  if (error instanceof CodeLoadError)
    return { text: t`Can't reach the server. Check your connection, then reload the page.` };
  if (error instanceof ApiError) return { text: error.message, detail: requestId && t`Request ID ${requestId}` };
  return { text: t`This page stopped working. Reload it, or open another page.`, detail: String(error) };
}

/** Shown while the code of a page is loading. */
export function PageSkeleton() {
  return (
    <Stack gap="xl" aria-busy="true" aria-label={t`Loading`}>
      <Skeleton height={34} width={220} radius="md" />
      <Skeleton height={220} radius="lg" />
      <Skeleton height={180} radius="lg" />
    </Stack>
  );
}
