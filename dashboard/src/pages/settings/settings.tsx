import { SimpleGrid, Stack } from '@mantine/core';
import { Page } from '../../components/layout/page.tsx';
import { AlertsPanel } from './alerts-panel.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { EmailPanel } from './email-panel.tsx';
import { GooglePanel } from './google-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

export default function SettingsPage() {
  return (
    <Page title="Settings" lead="Profile, email, password, alerts, sessions and account deletion">
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <ProfilePanel />
          <EmailPanel />
          <PasswordPanel />
          <GooglePanel />
        </SimpleGrid>
        <AlertsPanel />
        <SessionsPanel />
        <DeletePanel />
      </Stack>
    </Page>
  );
}
