import { Skeleton, Stack } from '@mantine/core';

/** What stands while a page's code comes. */
export function PageSkeleton() {
  return (
    <Stack gap="xl" aria-busy="true" aria-label="Loading">
      <Skeleton height={34} width={220} radius="md" />
      <Skeleton height={220} radius="lg" />
      <Skeleton height={180} radius="lg" />
    </Stack>
  );
}
