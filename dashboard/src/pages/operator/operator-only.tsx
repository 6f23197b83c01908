import { lazy } from 'react';
import { useMe } from '../../api/reads.ts';
import { Page } from '../../components/page.tsx';
import { orReload } from '../../lib/load.ts';

const Operator = lazy(orReload(() => import('./operator.tsx')));

/** Loads the operator pages only for operators. Other users see "Page not found". */
export default function OperatorOnly() {
  const { data: me } = useMe();
  if (me?.role === 'operator') return <Operator />;
  return (
    <Page title="Page not found" lead="This page does not exist.">
      {undefined}
    </Page>
  );
}
