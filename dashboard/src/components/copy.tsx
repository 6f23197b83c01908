import { t } from '@lingui/core/macro';
import { ActionIcon, Button, CopyButton as Copy } from '@mantine/core';
import css from './copy.module.css';
import { Icon, Tip } from './icon.tsx';

interface CopyButtonProps {
  readonly value: string;
  /** Names the value for screen readers. */
  readonly what: string;
  /** Shows a labeled button instead of an icon. */
  readonly worded?: boolean;
}

export function CopyButton({ value, what, worded = false }: CopyButtonProps) {
  return (
    <Copy value={value} timeout={2000}>
      {({ copied, copy }) => {
        const sign = <Icon name={copied ? 'check' : 'copy'} size={16} />;
        if (worded)
          return (
            <Button onClick={copy} leftSection={sign}>
              {copied ? t`Copied` : t`Copy ${what}`}
            </Button>
          );
        return (
          <Tip label={copied ? t`Copied` : t`Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? t`Copied` : t`Copy ${what}`}>
              {sign}
            </ActionIcon>
          </Tip>
        );
      }}
    </Copy>
  );
}

interface CodeBlockProps {
  readonly code: string;
  /** Names the code, for the copy button and screen readers. */
  readonly what: string;
  /** Maximum height in rem. Longer code scrolls. */
  readonly maxHeight?: number;
}

export function CodeBlock({ code, what, maxHeight }: CodeBlockProps) {
  return (
    <div className={css.block}>
      {/* Focusable, so that it can be scrolled with the keyboard. */}
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
