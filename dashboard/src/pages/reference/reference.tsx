import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Group, Tabs, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { entries, load, tags } from 'virtual:reference';
import { Link } from 'wouter';
import { isDocumentOffered } from '#contract/offered-services.ts';
import { useIsOffered, useMember } from '../../api/reads.ts';
import { CodeBlock, CopyButton } from '../../components/copy.tsx';
import { DocsLayout, lazyViews, useHash } from '../../components/docs.tsx';
import { Page, Panel } from '../../components/page.tsx';
import type { Field, FieldGroup, Operation, OperationEntry, ResponseEntry } from './operation.ts';
import css from './reference.module.css';
import { type SampleRequest, samplesOf } from './request.ts';
import { TrialPanel } from './trial-panel.tsx';

const hrefOf = ({ id }: OperationEntry): string => `/docs#${id}`;

const views = lazyViews(load, (operation) => <OperationView operation={operation} />);

export default function ReferencePage() {
  // Links of earlier versions contain the tag before the operation.
  const id = useHash().split('/').at(-1) ?? '';
  const [query, setQuery] = useState('');
  const { data: member } = useMember();
  const isOffered = useIsOffered(Boolean(member));
  const found = entries.filter(
    (entry) => matches(entry, query) && isDocumentOffered({ href: hrefOf(entry), path: entry.path }, isOffered),
  );
  return (
    <DocsLayout
      label={t`Operations`}
      groups={tags.map(({ name }) => ({
        title: name,
        links: found.filter(({ tag }) => tag === name).map((entry) => ({ href: hrefOf(entry), label: entry.summary })),
      }))}
      current={`/docs#${id}`}
      search={
        <TextInput
          type="search"
          aria-label={t`Filter operations`}
          placeholder={t`Filter`}
          maxLength={100}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      }
      isSearching={false}
      view={views.get(id)}
    >
      <OperationList />
    </DocsLayout>
  );
}

const matches = ({ summary, path, method }: OperationEntry, query: string): boolean =>
  `${method} ${path} ${summary}`.toLowerCase().includes(query.trim().toLowerCase());

const DocumentLink = ({ children }: { children?: ReactNode }) => (
  <Anchor href="/docs/openapi.json" inherit>
    {children}
  </Anchor>
);

function OperationList() {
  const { origin } = window.location;
  return (
    <Page
      title={t`API reference`}
      lead={
        <Trans>
          Every operation of <code>{origin}</code>, with its fields and a form to try it. See also{' '}
          <DocumentLink>openapi.json</DocumentLink> and the{' '}
          <Anchor component={Link} href="/guides" inherit>
            guides
          </Anchor>
          .
        </Trans>
      }
    >
      {tags.map(({ name, description }) => (
        <Panel key={name} title={name}>
          <Text size="sm" c="dimmed" mb="xs">
            <Prose text={description} />
          </Text>
          <ul className={css.operations}>
            {entries
              .filter(({ tag }) => tag === name)
              .map((entry) => (
                <li key={entry.id}>
                  <Link href={hrefOf(entry)}>
                    <MethodBadge method={entry.method} size="xs" />
                    <code dir="ltr">{entry.path}</code>
                    <span>{entry.summary}</span>
                  </Link>
                </li>
              ))}
          </ul>
        </Panel>
      ))}
    </Page>
  );
}

function OperationView({ operation }: { operation: Operation }) {
  const [values, setValues] = useState<SampleRequest['values']>({});
  const [body, setBody] = useState(operation.body?.examples[0]?.value ?? '');
  const samples = samplesOf(window.location.origin, { operation, values, body });
  const target = window.location.origin + operation.path;
  return (
    <Page title={operation.summary} lead={<Prose text={operation.description} />}>
      <Group gap="xs" className={css.target}>
        <MethodBadge method={operation.method} />
        <code dir="ltr">{operation.path}</code>
        <CopyButton value={target} what={t`address`} />
      </Group>
      <div className={css.columns}>
        <div className={css.column}>
          <Panel title={t`Code`}>
            <Tabs defaultValue="curl" variant="pills" keepMounted={false}>
              <Tabs.List mb="sm" aria-label={t`Language`}>
                {samples.map(({ id, title }) => (
                  <Tabs.Tab key={id} value={id}>
                    {title}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {samples.map(({ id, title, code }) => (
                <Tabs.Panel key={id} value={id}>
                  <CodeBlock code={code} what={t`${{ language: title }} example`} maxHeight={24} />
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
    <Panel title={t`Request`}>
      {parameters.length > 0 && <FieldGroups groups={[{ title: t`Parameters`, fields: parameters }]} />}
      {body && (
        <>
          <p className={css.kind}>
            <Trans>Body</Trans>
          </p>
          <Text size="sm" c="dimmed">
            <Prose text={body.description} />
          </Text>
          <FieldGroups groups={body.groups} />
        </>
      )}
    </Panel>
  );
}

function Responses({ responses }: { responses: readonly ResponseEntry[] }) {
  return (
    <Panel title={t`Responses`}>
      {responses.map((response) => (
        <Response key={response.status} response={response} />
      ))}
    </Panel>
  );
}

function Response({ response: { status, causes, headers, groups, examples } }: { response: ResponseEntry }) {
  const isError = status >= '400';
  const names = headers.join(', ');
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
          <summary>
            <Trans>Fields</Trans>
          </summary>
          <FieldGroups groups={groups} />
        </details>
      )}
      {examples.map(({ name, value }) => (
        <div key={name} className={css.example}>
          {name !== '' && <p className={css.kind}>{name}</p>}
          <CodeBlock
            code={value}
            what={name === '' ? t`${status} example` : t`${status} example ${name}`}
            maxHeight={20}
          />
        </div>
      ))}
      {headers.length > 0 && (
        <p className={css.text}>
          <Trans>
            Headers: <span className="mono">{names}</span>
          </Trans>
        </p>
      )}
    </details>
  );
}

/** Fields of an object, or of each of its kinds. Nested objects are collapsed. */
function FieldGroups({ groups }: { groups: readonly FieldGroup[] }) {
  return groups.map(({ title, fields }, index) => (
    <div key={index}>
      {title !== '' && <p className={css.kind}>{title}</p>}
      <ul className={css.fields}>
        {fields.map((field) => (
          <FieldItem key={field.name} field={field} />
        ))}
      </ul>
    </div>
  ));
}

function FieldItem({ field: { name, type, isRequired, text, rules, kinds } }: { field: Field }) {
  return (
    <li>
      <p className={css.field}>
        <code>{name}</code>
        <span lang="en">{type}</span>
        {isRequired && <strong>{t`required`}</strong>}
      </p>
      {text !== undefined && (
        <p className={css.text}>
          <Prose text={text} />
        </p>
      )}
      {rules.length > 0 && (
        <p className={css.text}>
          <bdi lang="en">{rules.join('; ')}</bdi>
        </p>
      )}
      {kinds.length > 0 && (
        <details>
          <summary>
            <Trans>Fields of {name}</Trans>
          </summary>
          <FieldGroups groups={kinds} />
        </details>
      )}
    </li>
  );
}

const colors: Readonly<Record<string, string>> = { GET: 'pine', POST: 'yellow', DELETE: 'red' };

function MethodBadge({ method, size = 'sm' }: { method: string; size?: 'xs' | 'sm' }) {
  return (
    <Badge color={colors[method] ?? 'gray'} size={size} className="mono">
      {method}
    </Badge>
  );
}

/** Renders text of the API's description, which is not translated. Text between backticks is code. */
const Prose = ({ text }: { text: string }) => (
  <bdi lang="en">
    {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
  </bdi>
);
