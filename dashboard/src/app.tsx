import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { guides } from '#contract/dashboard-config.ts';
import { ErrorBoundary, Failure, PageSkeleton } from './components/boundary.tsx';
import { orReload } from './lib/load.ts';

type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

/** A component whose code is loaded when it is first shown, or earlier by `load`. */
function lazyPart<Props extends object>(loadPart: Load<Props>) {
  let loading: ReturnType<Load<Props>> | undefined;
  const load = () => (loading ??= orReload(loadPart)());
  return { load, View: lazy(load) };
}

const page = (path: string, load: Load<object>) => ({ path, ...lazyPart(load) });

const frame = lazyPart(() => import('./components/frame.tsx'));
const notFound = lazyPart(() => import('./pages/not-found.tsx'));
const guidesPage = page('/guides', () => import('./pages/guides/guides.tsx'));

const entryPages = [
  page('/register', () => import('./pages/auth/register.tsx')),
  page('/login', () => import('./pages/auth/login.tsx')),
  page('/confirm', async () => ({ default: (await import('./pages/auth/confirm.tsx')).ConfirmPage })),
  page('/forgot-password', async () => ({
    default: (await import('./pages/auth/password-reset.tsx')).ForgotPasswordPage,
  })),
  page('/reset-password', async () => ({
    default: (await import('./pages/auth/password-reset.tsx')).ResetPasswordPage,
  })),
  page('/invitation', () => import('./pages/auth/invitation.tsx')),
  page('/email-change', async () => ({ default: (await import('./pages/auth/confirm.tsx')).EmailChangePage })),
];

const memberPages = [
  page('/', () => import('./pages/overview/overview.tsx')),
  page('/keys', () => import('./pages/keys/keys.tsx')),
  page('/plans', () => import('./pages/plans/plans.tsx')),
  page('/billing', async () => ({ default: (await import('./pages/restricted-pages.tsx')).BillingOnly })),
  page('/models', () => import('./pages/models.tsx')),
  page('/usage', () => import('./pages/usage/usage.tsx')),
  page('/logs', () => import('./pages/logs.tsx')),
  page('/agents', () => import('./pages/agents/agents.tsx')),
  page('/messages', () => import('./pages/messages/messages.tsx')),
  page('/webhooks', () => import('./pages/webhooks/webhooks.tsx')),
  page('/playground', () => import('./pages/playground/playground.tsx')),
  page('/organization', () => import('./pages/organization/organization.tsx')),
  page('/settings', () => import('./pages/settings/settings.tsx')),
  page('/operator', async () => ({ default: (await import('./pages/restricted-pages.tsx')).OperatorOnly })),
];

/** Pages in the frame that need no session. */
const openPages = [
  page('/docs', () => import('./pages/reference/reference.tsx')),
  guidesPage,
  ...guides.map((slug) => ({ ...guidesPage, path: `/guides/${slug}` })),
];

const framedPages = [...memberPages, ...openPages];

/** Loads the code of the first page and of its frame in parallel, before rendering starts. */
export function preload(path: string): void {
  const framed = framedPages.find((one) => one.path === path);
  const parts = framed ? [frame, framed] : entryPages.filter((one) => one.path === path);
  // Ignore a failed preload: showing the page reports the error.
  for (const { load } of parts) load().catch(() => undefined);
}

/** Limits an error to its page. Another page starts without it. */
function PageBoundary({ children, fallback }: { children: ReactNode; fallback: ReactNode }) {
  const [path] = useLocation();
  return (
    <ErrorBoundary key={path} fallback={(error) => <Failure error={error} />}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** Keeps the frame mounted while its pages change. */
function FramedPage({ path }: { path: string }) {
  return (
    <Suspense fallback={null}>
      <frame.View isOpen={openPages.some((one) => one.path === path)}>
        <PageBoundary fallback={<PageSkeleton />}>
          <Switch>
            {framedPages.map((one) => (
              <Route key={one.path} path={one.path} component={one.View} />
            ))}
          </Switch>
        </PageBoundary>
      </frame.View>
    </Suspense>
  );
}

export function App() {
  const [location] = useLocation();
  return (
    <Switch>
      {entryPages.map(({ path, View }) => (
        <Route key={path} path={path}>
          <PageBoundary fallback={null}>
            <View />
          </PageBoundary>
        </Route>
      ))}
      <Route>
        {framedPages.some(({ path }) => path === location) ? (
          <FramedPage path={location} />
        ) : (
          <PageBoundary fallback={null}>
            <notFound.View />
          </PageBoundary>
        )}
      </Route>
    </Switch>
  );
}
