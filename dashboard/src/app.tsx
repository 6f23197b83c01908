import { lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { PageSkeleton } from './components/page-skeleton.tsx';
import { Shell } from './components/shell.tsx';

const Register = lazy(() => import('./pages/auth/register.tsx'));
const Login = lazy(() => import('./pages/auth/login.tsx'));
const Confirm = lazy(() => import('./pages/auth/confirm.tsx'));
const ForgotPassword = lazy(() => import('./pages/auth/forgot-password.tsx'));
const ResetPassword = lazy(() => import('./pages/auth/reset-password.tsx'));
const Overview = lazy(() => import('./pages/overview/overview.tsx'));
const Keys = lazy(() => import('./pages/keys/keys.tsx'));
const Plans = lazy(() => import('./pages/plans/plans.tsx'));
const Usage = lazy(() => import('./pages/usage/usage.tsx'));
const Playground = lazy(() => import('./pages/playground/playground.tsx'));
const Settings = lazy(() => import('./pages/settings/settings.tsx'));

/** The shell stays while its pages change. */
const signedIn = (page: ReactNode) => (
  <Shell>
    <Suspense fallback={<PageSkeleton />}>{page}</Suspense>
  </Shell>
);

export function App() {
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/register" component={Register} />
        <Route path="/login" component={Login} />
        <Route path="/confirm" component={Confirm} />
        <Route path="/forgot-password" component={ForgotPassword} />
        <Route path="/reset-password" component={ResetPassword} />
        <Route>
          {signedIn(
            <Switch>
              <Route path="/" component={Overview} />
              <Route path="/keys" component={Keys} />
              <Route path="/plans" component={Plans} />
              <Route path="/usage" component={Usage} />
              <Route path="/playground" component={Playground} />
              <Route path="/settings" component={Settings} />
            </Switch>,
          )}
        </Route>
      </Switch>
    </Suspense>
  );
}
