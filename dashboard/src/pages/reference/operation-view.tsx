import { Group, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../../components/elements/code-block.tsx';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { FieldGroups } from './field-list.tsx';
import { MethodBadge } from './method-badge.tsx';
import type { Operation } from './operation.ts';
import { Prose } from './prose.tsx';
import css from './reference.module.css';
import { Responses } from './responses.tsx';
import { type SampleRequest, samplesOf } from './samples.ts';
import { TrialPanel } from './trial/trial-panel.tsx';

/** One operation: what it takes and returns, the request in three languages, and the means to send it. */
export function OperationView({ operation }: { operation: Operation }) {
  const [values, setValues] = useState<SampleRequest['values']>({});
  const [body, setBody] = useState(operation.body?.examples[0]?.value ?? '');
  const samples = samplesOf(window.location.origin, { operation, values, body });
  const target = window.location.origin + operation.path;
  return (
    <Page title={operation.summary} lead={<Prose text={operation.description} />}>
      <Group gap="xs" className={css.target}>
        <MethodBadge method={operation.method} />
        <code>{operation.path}</code>
        <CopyButton value={target} what="address" />
      </Group>
      <div className={css.columns}>
        <div className={css.column}>
          <Panel title="Code">
            <Tabs defaultValue="curl" variant="pills" keepMounted={false}>
              <Tabs.List mb="sm" aria-label="Language">
                {samples.map(({ id, title }) => (
                  <Tabs.Tab key={id} value={id}>
                    {title}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {samples.map(({ id, title, code }) => (
                <Tabs.Panel key={id} value={id}>
                  <CodeBlock code={code} what={`${title} example`} maxHeight={24} />
                </Tabs.Panel>
              ))}
            </Tabs>
          </Panel>
          <TrialPanel operation={operation} values={values} onValues={setValues} body={body} onBody={setBody} />
        </div>
        <div className={css.column}>
          <Request operation={operation} />
          <Responses responses={operation.responses} />
        </div>
      </div>
    </Page>
  );
}

function Request({ operation: { parameters, body } }: { operation: Operation }) {
  if (parameters.length === 0 && !body) return null;
  return (
    <Panel title="Request">
      {parameters.length > 0 && <FieldGroups groups={[{ title: 'Parameters', fields: parameters }]} />}
      {body && (
        <>
          <p className={css.kind}>Body</p>
          <Text size="sm" c="dimmed">
            <Prose text={body.description} />
          </Text>
          <FieldGroups groups={body.groups} />
        </>
      )}
    </Panel>
  );
}
