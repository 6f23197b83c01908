import { lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Failure } from './components/failure.tsx';
import { PageSkeleton } from './components/page-skeleton.tsx';
import { Shell } from './components/shell.tsx';
import { orReload } from './lib/or-reload.ts';

const Register = lazy(orReload(() => import('./pages/auth/register.tsx')));
const Login = lazy(orReload(() => import('./pages/auth/login.tsx')));
const Confirm = lazy(orReload(() => import('./pages/auth/confirm.tsx')));
const ForgotPassword = lazy(orReload(() => import('./pages/auth/forgot-password.tsx')));
const ResetPassword = lazy(orReload(() => import('./pages/auth/reset-password.tsx')));
const EmailChange = lazy(orReload(() => import('./pages/auth/email-change.tsx')));
const Overview = lazy(orReload(() => import('./pages/overview/overview.tsx')));
const Keys = lazy(orReload(() => import('./pages/keys/keys.tsx')));
const Plans = lazy(orReload(() => import('./pages/plans/plans.tsx')));
const Usage = lazy(orReload(() => import('./pages/usage/usage.tsx')));
const Logs = lazy(orReload(() => import('./pages/logs/logs.tsx')));
const Webhooks = lazy(orReload(() => import('./pages/webhooks/webhooks.tsx')));
const Playground = lazy(orReload(() => import('./pages/playground/playground.tsx')));
const NotFound = lazy(orReload(() => import('./pages/not-found.tsx')));
const OperatorOnly = lazy(orReload(() => import('./pages/operator/operator-only.tsx')));
const Settings = lazy(orReload(() => import('./pages/settings/settings.tsx')));

/** A page that throws takes nothing else with it, and another page starts again. */
function PageBoundary({ children, fallback }: { children: ReactNode; fallback: ReactNode }) {
  const [path] = useLocation();
  return (
    <ErrorBoundary key={path} fallback={(error) => <Failure error={error} />}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

const signedInPages = [
  { path: '/', page: Overview },
  { path: '/keys', page: Keys },
  { path: '/plans', page: Plans },
  { path: '/usage', page: Usage },
  { path: '/logs', page: Logs },
  { path: '/webhooks', page: Webhooks },
  { path: '/playground', page: Playground },
  { path: '/settings', page: Settings },
  { path: '/operator', page: OperatorOnly },
];

/** The shell stays while its pages change. */
const signedIn = (
  <Shell>
    <PageBoundary fallback={<PageSkeleton />}>
      <Switch>
        {signedInPages.map(({ path, page }) => (
          <Route key={path} path={path} component={page} />
        ))}
      </Switch>
    </PageBoundary>
  </Shell>
);

const signedOutPages: readonly { readonly path: string; readonly page: ReactNode }[] = [
  { path: '/register', page: <Register /> },
  { path: '/login', page: <Login /> },
  { path: '/confirm', page: <Confirm /> },
  { path: '/forgot-password', page: <ForgotPassword /> },
  { path: '/reset-password', page: <ResetPassword /> },
  { path: '/email-change', page: <EmailChange /> },
];

export function App() {
  const [location] = useLocation();
  const isSignedIn = signedInPages.some(({ path }) => path === location);
  return (
    <Switch>
      {signedOutPages.map(({ path, page }) => (
        <Route key={path} path={path}>
          <PageBoundary fallback={null}>{page}</PageBoundary>
        </Route>
      ))}
      <Route>
        {isSignedIn ? (
          signedIn
        ) : (
          <PageBoundary fallback={null}>
            <NotFound />
          </PageBoundary>
        )}
      </Route>
    </Switch>
  );
}
