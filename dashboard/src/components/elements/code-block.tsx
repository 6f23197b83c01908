import css from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** What it is, for the copy button and screen readers. */
  readonly what: string;
  /** Largest height in rem; what is beyond is scrolled to. */
  readonly maxHeight?: number;
}

export function CodeBlock({ code, what, maxHeight }: CodeBlockProps) {
  return (
    <div className={css.block}>
      {/* Focusable, as it may have to be scrolled by keyboard. */}
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={what}
        style={maxHeight === undefined ? undefined : { maxHeight: `${maxHeight}rem` }}
      >
        {code}
      </pre>
      <div className={css.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
