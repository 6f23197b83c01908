import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { guides } from '#contract/dashboard-config.ts';
import { ErrorBoundary, Failure, PageSkeleton } from './components/boundary.tsx';
import { orReload } from './lib/load.ts';
import { withTexts } from './lib/texts.ts';

type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

/** A component whose code and texts are loaded when it is first shown, or earlier by `load`. */
function lazyPart<Props extends object>(module: string, loadPart: Load<Props>) {
  let loading: ReturnType<Load<Props>> | undefined;
  const load = () => (loading ??= orReload(withTexts(module, loadPart))());
  return { load, View: lazy(load) };
}

const page = (path: string, module: string, load: Load<object>) => ({ path, ...lazyPart(module, load) });

const frame = lazyPart('components/frame', () => import('./components/frame.tsx'));
const notFound = lazyPart('pages/not-found', () => import('./pages/not-found.tsx'));
const guidesPage = page('/guides', 'pages/guides/guides', () => import('./pages/guides/guides.tsx'));

const entryPages = [
  page('/register', 'pages/auth/register', () => import('./pages/auth/register.tsx')),
  page('/login', 'pages/auth/login', () => import('./pages/auth/login.tsx')),
  page('/confirm', 'pages/auth/confirm', async () => ({
    default: (await import('./pages/auth/confirm.tsx')).ConfirmPage,
  })),
  page('/forgot-password', 'pages/auth/password-reset', async () => ({
    default: (await import('./pages/auth/password-reset.tsx')).ForgotPasswordPage,
  })),
  page('/reset-password', 'pages/auth/password-reset', async () => ({
    default: (await import('./pages/auth/password-reset.tsx')).ResetPasswordPage,
  })),
  page('/invitation', 'pages/auth/invitation', () => import('./pages/auth/invitation.tsx')),
  page('/email-change', 'pages/auth/confirm', async () => ({
    default: (await import('./pages/auth/confirm.tsx')).EmailChangePage,
  })),
];

const memberPages = [
  page('/', 'pages/overview/overview', () => import('./pages/overview/overview.tsx')),
  page('/keys', 'pages/keys/keys', () => import('./pages/keys/keys.tsx')),
  page('/plans', 'pages/plans/plans', () => import('./pages/plans/plans.tsx')),
  page('/billing', 'pages/restricted-pages', async () => ({
    default: (await import('./pages/restricted-pages.tsx')).BillingOnly,
  })),
  page('/models', 'pages/models', () => import('./pages/models.tsx')),
  page('/usage', 'pages/usage/usage', () => import('./pages/usage/usage.tsx')),
  page('/logs', 'pages/logs', () => import('./pages/logs.tsx')),
  page('/agents', 'pages/agents/agents', () => import('./pages/agents/agents.tsx')),
  page('/messages', 'pages/messages/messages', () => import('./pages/messages/messages.tsx')),
  page('/webhooks', 'pages/webhooks/webhooks', () => import('./pages/webhooks/webhooks.tsx')),
  page('/playground', 'pages/playground/playground', () => import('./pages/playground/playground.tsx')),
  page('/organization', 'pages/organization/organization', () => import('./pages/organization/organization.tsx')),
  page('/settings', 'pages/settings/settings', () => import('./pages/settings/settings.tsx')),
  page('/operator', 'pages/restricted-pages', async () => ({
    default: (await import('./pages/restricted-pages.tsx')).OperatorOnly,
  })),
];

/** Pages in the frame that need no session. */
const openPages = [
  page('/docs', 'pages/reference/reference', () => import('./pages/reference/reference.tsx')),
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
