import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-data.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { accountPath } from '../account-path.ts';
import { accountQueryOf } from './account-query.ts';
import css from './search-panel.module.css';

const hint = 'Only the beginning of a key is sent.';

/** Finds an account and opens it. */
export function SearchPanel() {
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const search = useAction((query: NonNullable<ReturnType<typeof accountQueryOf>>) =>
    call(operatorRoutes.findAccount, { query }),
  );
  const isUnknown = search.error?.code === 'NOT_FOUND';

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const query = accountQueryOf(typed);
    setProblem(query ? undefined : 'Enter an email, an account ID, or a key that begins with tai_');
    if (!query) return search.reset();
    const found = await search.run(query);
    if (found) go(accountPath(found.id));
  }

  return (
    <Panel title="Find an account">
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Group align="flex-start" gap="sm">
          <TextInput
            className={css.field}
            label="Email, account ID or key"
            description={hint}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={problem ?? (isUnknown && 'No account found')}
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
          />
          <Button type="submit" loading={search.isRunning} className={css.submit}>
            Find
          </Button>
        </Group>
        {search.error && !isUnknown && <ErrorNotice error={search.error} />}
      </form>
    </Panel>
  );
}
