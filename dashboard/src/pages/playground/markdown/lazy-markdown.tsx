import { lazy, type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../../../components/feedback/error-boundary.tsx';

const load = () => import('./markdown.tsx');
const Markdown = lazy(load);

/** Loads the code that reads Markdown, before a text first needs it. */
export const preloadMarkdown = (): void => void load().catch(() => undefined);

interface LazyMarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
  /** The text as it came, which is shown where it cannot be read as Markdown. */
  readonly fallback: ReactNode;
}

/** A text as Markdown. Where the code cannot be loaded, or a text is too much for it, the plain text is shown. */
export function LazyMarkdown({ text, isStreaming, fallback }: LazyMarkdownProps) {
  return (
    <ErrorBoundary fallback={() => fallback}>
      <Suspense fallback={fallback}>
        <Markdown text={text} isStreaming={isStreaming} />
      </Suspense>
    </ErrorBoundary>
  );
}
