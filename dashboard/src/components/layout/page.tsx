import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from '../../lib/hooks/use-title.ts';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page of a signed-in user: heading, lead, actions and content. */
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
