import { i18n } from '@lingui/core';
import { t, msg } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Accordion, Text, Textarea, type TextareaProps, Anchor, Box, Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../../../components/copy.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { curlCommand } from '../../../lib/code/literals.ts';
import { creditCount, formatCredits, formatDuration } from '../../../lib/format.ts';
import type { Figures, ExchangeState } from '../exchange/use-exchange.ts';
import css from './tab.module.css';
import { PlainText, prettyJson } from './text.tsx';

interface TabLayoutProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly parameters: ReactNode;
  /** Request and response of the last call. */
  readonly details: ReactNode;
  /** True if the content also needs the width of the parameters. */
  readonly isBroad?: boolean;
}

const besideFrom = { usual: '(min-width: 75em)', broad: '(min-width: 105em)' } as const;

/** Layout of a tab: input and output, with the parameters next to them and the request's details below. */
export function TabLayout(props: TabLayoutProps) {
  const { title, actions, children, parameters, details, isBroad = false } = props;
  const from = besideFrom[isBroad ? 'broad' : 'usual'];
  const isWide = useMediaQuery(from, true, { getInitialValueInEffect: false });
  return (
    <div className={[css.tab, isWide && css.wide].filter(Boolean).join(' ')}>
      <div className={css.work}>
        <Panel title={title} aside={actions}>
          {children}
        </Panel>
        {!isWide && (
          <Accordion variant="contained">
            <Accordion.Item value="parameters">
              <Accordion.Control>
                <Trans>Parameters</Trans>
              </Accordion.Control>
              <Accordion.Panel>{parameters}</Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        {details}
      </div>
      {isWide && <Panel title={t`Parameters`}>{parameters}</Panel>}
    </div>
  );
}

interface InputTextProps extends Pick<TextareaProps, 'error'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for a model's input, which must not be blank. */
export function InputText({ error, value, onChange, ...props }: InputTextProps) {
  return (
    <Textarea
      {...props}
      error={error || (value.trim() === '' && t`Enter some text`)}
      value={value}
      autosize
      minRows={4}
      maxRows={14}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface OutputTextProps {
  readonly label: string;
  readonly text: string;
  readonly finishReason?: string | undefined;
  readonly isRunning: boolean;
}

/** A model's output, displayed as it arrives. */
export function OutputText({ label, text, finishReason, isRunning }: OutputTextProps) {
  return (
    <section aria-label={label} aria-busy={isRunning} aria-live="polite" className={css.output}>
      <Text size="sm" fw={500} mb={4}>
        {label}
        {finishReason !== undefined && (
          <Text component="span" size="xs" c="dimmed" ms="xs">
            {`finish_reason: ${finishReason}`}
          </Text>
        )}
      </Text>
      <PlainText isStreaming={isRunning}>
        {text}
        {text === '' && !isRunning && (
          <Text component="span" c="dimmed">
            <Trans>The output appears here.</Trans>
          </Text>
        )}
      </PlainText>
    </section>
  );
}

interface InspectorProps extends Measured {
  readonly exchange: Pick<ExchangeState, 'sent' | 'receipt'>;
  /** Set if the tab compares models. */
  readonly model?: string | undefined;
  /** Metrics of the last call before a reload. Its request and response are not stored. */
  readonly kept?: Figures | undefined;
}

/** Request, response, credits, times and tokens of the last call. */
export function Inspector({ exchange: { sent, receipt }, model, kept, ...measured }: InspectorProps) {
  if (!sent && kept && model === undefined)
    return (
      <Panel title={t`Last request`}>
        <Metrics receipt={kept} {...measured} />
      </Panel>
    );
  if (!sent)
    return (
      <Text size="sm" c="dimmed">
        {measured.hasTokens === true
          ? t`Request, response, tokens, credits and times appear here.`
          : t`Request, response, credits and times appear here.`}
      </Text>
    );
  const body = receipt?.response ?? '';
  return (
    <Panel title={model === undefined ? t`Request details` : t`Request details: ${model}`}>
      {model === undefined && (
        <Box mb="md">
          <Metrics receipt={receipt} {...measured} />
        </Box>
      )}
      <Tabs defaultValue="request" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label={t`Request and response`}>
          <Tabs.Tab value="request">
            <Trans>Request</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="response">
            <Trans>Response</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="curl">cURL</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <Block what={t`request`} source={sent} write={requestText} />
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <Block what={t`response`} source={body} write={responseText} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Block what={t`cURL command`} source={sent} write={curlText} />
        </Tabs.Panel>
      </Tabs>
      {receipt?.requestId !== undefined && (
        <Text size="xs" c="dimmed" mt="xs" className="mono">
          <Trans>Request ID {{ id: receipt.requestId }}</Trans>
        </Text>
      )}
    </Panel>
  );
}

type Sent = NonNullable<ExchangeState['sent']>;

const requestText = ({ route, body }: Sent): string =>
  `${route.method} ${route.path}\n\n${JSON.stringify(body, undefined, 2)}`;
const curlText = ({ route, body, curl }: Sent): string => {
  const { origin } = window.location;
  return curl ? curl(origin) : curlCommand(origin, route.path, body);
};
const responseText = (response: string): string => prettyJson(response) || '…';

interface BlockProps<Source> {
  readonly what: string;
  readonly source: Source;
  readonly write: (source: Source) => string;
}

/** Formats `source` only while its tab is open. */
function Block<Source>({ what, source, write }: BlockProps<Source>) {
  const code = useMemo(() => write(source), [source, write]);
  return <CodeBlock code={code} what={what} maxHeight={22} />;
}

const milliseconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatDuration(ms);

/** Metrics that only some calls return. */
interface Measured {
  readonly hasFirstToken?: boolean;
  readonly hasTokens?: boolean;
}

interface MetricsProps extends Measured {
  readonly receipt: Figures | undefined;
}

export function Metrics({ receipt, hasFirstToken = false, hasTokens = false }: MetricsProps) {
  return (
    <dl className={css.receipt}>
      {hasFirstToken && <Metric title={t`Time to first token`}>{milliseconds(receipt?.firstTokenMs)}</Metric>}
      <Metric title={t`Total time`}>{milliseconds(receipt?.totalMs)}</Metric>
      {hasTokens && (
        <Metric title={t`Tokens (in + out)`}>
          {receipt?.tokens && `${receipt.tokens.prompt} + ${receipt.tokens.total - receipt.tokens.prompt}`}
        </Metric>
      )}
      <Metric title={t`Credits`}>{receipt?.credits !== undefined && formatCredits(receipt.credits)}</Metric>
    </dl>
  );
}

function Metric({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children || '–'}</dd>
    </div>
  );
}

interface ExchangeNoticesProps {
  readonly exchange: Pick<ExchangeState, 'error' | 'interruption' | 'receipt'>;
  readonly model: string;
  readonly onRetry: (() => void) | undefined;
}

/**
 * The error of the last call, or a notice that it was interrupted. Delivered output is charged (docs/credits.md#calls).
 */
export function ExchangeNotices({ exchange, model, onRetry }: ExchangeNoticesProps) {
  const { error, interruption, receipt } = exchange;
  if (error) return <ErrorNotice error={error} model={model} onRetry={onRetry} />;
  if (interruption === undefined) return null;
  const credits = receipt?.credits;
  return (
    <Notice
      tone="warning"
      actions={
        <>
          {onRetry && (
            <Anchor component="button" type="button" onClick={onRetry}>
              <Trans>Retry</Trans>
            </Anchor>
          )}
          {credits === undefined && interruption !== 'settling' && (
            <Link href="/usage">
              <Trans>View usage</Trans>
            </Link>
          )}
        </>
      }
    >
      {credits === undefined
        ? i18n._(sentences[interruption])
        : t`Interrupted. ${{ credits: creditCount(credits, formatCredits) }} charged.`}
    </Notice>
  );
}

const sentences = {
  'before-response': msg`Interrupted before the response began.`,
  settling: msg`Interrupted. Checking the charge…`,
  settled: msg`Interrupted. The charge will appear in the credit history.`,
} as const;
