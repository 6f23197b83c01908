import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { configQuery } from '../api/config.ts';
import { useMe } from '../api/reads.ts';
import { PageSkeleton } from '../components/boundary.tsx';
import { Page } from '../components/page.tsx';
import { orReload } from '../lib/load.ts';
import { withTexts } from '../lib/texts.ts';

const Billing = lazy(orReload(withTexts('pages/billing/billing', () => import('./billing/billing.tsx'))));
const Operator = lazy(orReload(withTexts('pages/operator/operator', () => import('./operator/operator.tsx'))));

/** Loads the billing page only if the deployment accepts payments. */
export function BillingOnly() {
  const { data: config, error } = useQuery(configQuery);
  if (!config && !error) return <PageSkeleton />;
  return config?.payments ? <Billing /> : <NotFound />;
}

/** Loads the operator pages only for operators. */
export function OperatorOnly() {
  const { data: me } = useMe();
  return me?.role === 'operator' ? <Operator /> : <NotFound />;
}

function NotFound() {
  return <Page title={t`Page not found`} lead={t`This page does not exist.`} />;
}
