import { ActionIcon, Button, CopyButton as Copy } from '@mantine/core';
import { Icon } from './icon.tsx';
import { Tip } from './tip.tsx';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for screen readers. */
  readonly what: string;
  /** A button with a label rather than an icon. */
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
              {copied ? 'Copied' : `Copy ${what}`}
            </Button>
          );
        return (
          <Tip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${what}`}>
              {sign}
            </ActionIcon>
          </Tip>
        );
      }}
    </Copy>
  );
}
