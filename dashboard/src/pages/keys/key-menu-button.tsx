import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { Icon } from '../../components/elements/icon.tsx';

export function KeyMenuButton({
  name,
  ...props
}: ActionIconProps & Omit<ComponentPropsWithRef<'button'>, 'color'> & { /** Of the key. */ readonly name: string }) {
  return (
    <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label={`Actions for ${name}`}>
      <Icon name="more" />
    </ActionIcon>
  );
}
