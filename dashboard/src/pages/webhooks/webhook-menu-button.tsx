import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { Icon } from '../../components/elements/icon.tsx';

export function WebhookMenuButton({
  title,
  ...props
}: ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, 'color'> & { /** Of the webhook. */ readonly title: string }) {
  return (
    <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label={`Actions for ${title}`}>
      <Icon name="more" />
    </ActionIcon>
  );
}
