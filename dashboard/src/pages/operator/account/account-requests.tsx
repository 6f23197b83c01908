import { operatorRoutes } from '#contract/routes/operators.ts';
import { call } from '../../../api/call.ts';
import { useData } from '../../../api/use-data.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { RequestsPanel } from '../../logs/requests-panel.tsx';
import { listAccountKeys } from './list-keys.ts';

const { listAccountRequests } = operatorRoutes;

/** What its owner sees under Logs. */
export function AccountRequests({ id }: { id: number }) {
  const path = { id: String(id) };
  const { data: keys = [] } = useData(listAccountKeys, { path });
  return (
    <RequestsPanel
      queryKey={[listAccountRequests.id, path]}
      list={(query, signal) => call(listAccountRequests, { path, query }, { signal })}
      keys={keys}
      empty={<Empty icon="logs" title="No requests in the last 30 days" />}
    />
  );
}
