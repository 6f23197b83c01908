import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

interface DetailsButtonProps {
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** A cell that opens the details of its row. */
export function DetailsButton({ onClick, children }: DetailsButtonProps) {
  return (
    <Anchor component="button" type="button" inherit className="number" aria-haspopup="dialog" onClick={onClick}>
      {children}
    </Anchor>
  );
}
