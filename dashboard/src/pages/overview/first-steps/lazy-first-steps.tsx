import { lazy } from 'react';
import { ErrorBoundary } from '../../../components/feedback/error-boundary.tsx';
import { orReload } from '../../../lib/or-reload.ts';
import { useFirstSteps } from './use-first-steps.ts';

const FirstStepsPanel = lazy(orReload(() => import('./first-steps-panel.tsx')));

/** The first steps, whose code comes only to an account that still has some. The page waits for it. */
export function LazyFirstSteps() {
  const { state, done, dismiss } = useFirstSteps();
  if (state !== 'shown') return null;
  return (
    <ErrorBoundary fallback={() => null}>
      <FirstStepsPanel done={done} dismiss={dismiss} />
    </ErrorBoundary>
  );
}
