import { Trans } from '@lingui/react/macro';
import { Anchor, Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { useMay } from '../api/organizations.ts';
import { useTitle } from '../lib/focus.ts';
import { Icon, type IconName } from './icon.tsx';
import css from './page.module.css';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A page of the frame, with its heading, lead and actions. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useTitle(title);
  return (
    <Stack gap="xl">
      <Group justify="space-between" align="flex-end" gap="md">
        <Box>
          <Title order={1} ref={heading} tabIndex={-1} dir="auto">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" mt={6} maw="56rem">
              {lead}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string | undefined;
  /** Hash of a URL that leads to the panel (`useSection`). */
  readonly id?: string;
}

export function Panel({ title, aside, children, className, id }: PanelProps) {
  const titleId = useId();
  return (
    <section id={id} className={[css.panel, className].filter(Boolean).join(' ')} aria-labelledby={titleId}>
      <div className={css.head}>
        <Title order={2} id={titleId} {...(id !== undefined && { tabIndex: -1 })}>
          {title}
        </Title>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** Explains how to add the first item. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <span className={css.mark}>
        <Icon name={icon} size={22} />
      </span>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" maw="28rem">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

/** Shown in place of a feature that the plan does not include. */
export const NotInPlan = (props: Omit<EmptyProps, 'action'>) => (
  <Empty
    {...props}
    action={
      <Anchor component={Link} href="/plans" underline="always">
        <Trans>Compare plans</Trans>
      </Anchor>
    }
  />
);

/** Hidden from members whose role may not call models. */
export function PlaygroundLink() {
  if (!useMay('develop')) return null;
  return (
    <Anchor component={Link} href="/playground" size="sm" fw={600}>
      <Trans>Open the playground</Trans>
    </Anchor>
  );
}
