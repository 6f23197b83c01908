import { Page } from '../../components/page.tsx';
import { RequestsPanel } from './requests-panel.tsx';

export default function LogsPage() {
  return (
    <Page
      title="Logs"
      lead="Requests of the last 30 days with your keys, also those that were refused or failed. Prompts and responses are not kept."
    >
      <RequestsPanel />
    </Page>
  );
}
