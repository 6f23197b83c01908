import { Badge } from '@mantine/core';
import { CodeBlock } from '../../components/elements/code-block.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { FieldGroups } from './field-list.tsx';
import type { ResponseEntry } from './operation.ts';
import { Prose } from './prose.tsx';
import css from './reference.module.css';

/** What an operation returns, by status; the successful response is open. */
export function Responses({ responses }: { responses: readonly ResponseEntry[] }) {
  return (
    <Panel title="Responses">
      {responses.map((response) => (
        <Response key={response.status} response={response} />
      ))}
    </Panel>
  );
}

function Response({ response: { status, causes, headers, groups, examples } }: { response: ResponseEntry }) {
  const isError = status >= '400';
  return (
    <details className={css.response} open={!isError}>
      <summary>
        <Badge color={isError ? 'gray' : 'pine'}>{status}</Badge>
        <span>
          <Prose text={causes.map(({ code, text }) => code || text).join(', ')} />
        </span>
      </summary>
      {isError && (
        <dl className={css.causes}>
          {causes.map(({ code, text }) => (
            <div key={code}>
              <dt>{code}</dt>
              <dd>
                <Prose text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {groups.length > 0 && (
        <details>
          <summary>Fields</summary>
          <FieldGroups groups={groups} />
        </details>
      )}
      {examples.map(({ name, value }) => (
        <div key={name} className={css.example}>
          {name !== '' && <p className={css.kind}>{name}</p>}
          <CodeBlock code={value} what={`${status} example ${name}`.trim()} maxHeight={20} />
        </div>
      ))}
      {headers.length > 0 && (
        <p className={css.text}>
          Headers: <span className="mono">{headers.join(', ')}</span>
        </p>
      )}
    </details>
  );
}
