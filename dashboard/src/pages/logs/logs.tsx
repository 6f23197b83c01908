import { creditRoutes } from '#contract/routes/credits.ts';
import { call } from '../../api/call.ts';
import { useKeys } from '../../api/reads.ts';
import { Empty, Page, PlaygroundLink } from '../../components/page.tsx';
import { type ListRequests, RequestsPanel } from './requests-panel.tsx';

const { listRequests } = creditRoutes;
const list: ListRequests = (query, signal) => call(listRequests, { query }, { signal });

export default function LogsPage() {
  const { data: keys = [] } = useKeys();
  return (
    <Page
      title="Logs"
      lead="Requests from the last 30 days, including rejected and failed ones. Without prompts and responses."
    >
      <RequestsPanel queryKey={[listRequests.id]} list={list} keys={keys} empty={noRequests} />
    </Page>
  );
}

const noRequests = (
  <Empty icon="logs" title="No requests yet" action={<PlaygroundLink />}>
    Requests appear here a few seconds after their response.
  </Empty>
);
