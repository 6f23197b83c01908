import { SimpleGrid, Stack } from '@mantine/core';
import { Page } from '../../components/page.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { GooglePanel } from './google-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

export default function SettingsPage() {
  return (
    <Page title="Settings" lead="Your name and password, where you are signed in, and the way out.">
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <ProfilePanel />
          <PasswordPanel />
        </SimpleGrid>
        <SessionsPanel />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <GooglePanel />
          <DeletePanel />
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
