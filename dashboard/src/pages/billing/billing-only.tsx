import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { configQuery } from '../../api/config.ts';
import { PageSkeleton } from '../../components/boundary.tsx';
import { Page } from '../../components/page.tsx';
import { orReload } from '../../lib/load.ts';

const Billing = lazy(orReload(() => import('./billing.tsx')));

/** Loads the page only if the deployment takes payments. Otherwise users see "Page not found". */
export default function BillingOnly() {
  const { data: config, error } = useQuery(configQuery);
  if (!config && !error) return <PageSkeleton />;
  if (config?.payments) return <Billing />;
  return (
    <Page title="Page not found" lead="This page does not exist.">
      {undefined}
    </Page>
  );
}
