import { Anchor, Box, Tabs, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../../../components/elements/code-block.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { creditCount, formatCredits, formatDuration } from '../../../lib/format.ts';
import { curlCommand } from '../code/literals.ts';
import type { ExchangeState, Figures } from '../exchange/use-exchange.ts';
import css from './tab.module.css';
import { prettyJson } from './text.tsx';

interface InspectorProps extends Measured {
  readonly exchange: Pick<ExchangeState, 'sent' | 'receipt'>;
  /** Of which model, where there are several. */
  readonly model?: string | undefined;
  /** Metrics of the last call before a reload. Its request and response are not stored. */
  readonly kept?: Figures | undefined;
}

/** Request, response, credits, times and, where it has them, tokens of the last call. */
export function Inspector({ exchange: { sent, receipt }, model, kept, ...measured }: InspectorProps) {
  if (!sent && kept && model === undefined)
    return (
      <Panel title="Last request">
        <Metrics receipt={kept} {...measured} />
      </Panel>
    );
  if (!sent)
    return (
      <Text size="sm" c="dimmed">
        Request, response, {measured.hasTokens === true && 'tokens, '}credits and times appear here.
      </Text>
    );
  const body = receipt?.response ?? '';
  return (
    <Panel title={model === undefined ? 'Request details' : `Request details: ${model}`}>
      {model === undefined && (
        <Box mb="md">
          <Metrics receipt={receipt} {...measured} />
        </Box>
      )}
      <Tabs defaultValue="request" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Request and response">
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Response</Tabs.Tab>
          <Tabs.Tab value="curl">cURL</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <Block what="request" source={sent} write={requestText} />
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <Block what="response" source={body} write={responseText} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Block what="cURL command" source={sent} write={curlText} />
        </Tabs.Panel>
      </Tabs>
      {receipt?.requestId !== undefined && (
        <Text size="xs" c="dimmed" mt="xs" className="mono">
          Request ID {receipt.requestId}
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

/** Written when its tab is open, and again only when its source has changed. */
function Block<Source>({ what, source, write }: BlockProps<Source>) {
  const code = useMemo(() => write(source), [source, write]);
  return <CodeBlock code={code} what={what} maxHeight={22} />;
}

const milliseconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatDuration(ms);

/** What a call has beside its total time and its credits: not every one is streamed or counted in tokens. */
interface Measured {
  readonly hasFirstToken?: boolean;
  readonly hasTokens?: boolean;
}

interface MetricsProps extends Measured {
  readonly receipt: Figures | undefined;
}

/** Times, tokens and credits of a call, as far as they are known. */
export function Metrics({ receipt, hasFirstToken = false, hasTokens = false }: MetricsProps) {
  return (
    <dl className={css.receipt}>
      {hasFirstToken && <Metric title="Time to first token">{milliseconds(receipt?.firstTokenMs)}</Metric>}
      <Metric title="Total time">{milliseconds(receipt?.totalMs)}</Metric>
      {hasTokens && (
        <Metric title="Tokens (in + out)">
          {receipt?.tokens && `${receipt.tokens.prompt} + ${receipt.tokens.total - receipt.tokens.prompt}`}
        </Metric>
      )}
      <Metric title="Credits">{receipt?.credits !== undefined && formatCredits(receipt.credits)}</Metric>
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

interface InterruptionNoticeProps {
  readonly exchange: ExchangeState;
  readonly onRetry: (() => void) | undefined;
}

/** That a response was stopped or cut, with what it cost: what was delivered is charged (docs/credits.md#calls). */
export function InterruptionNotice({ exchange: { interruption, receipt }, onRetry }: InterruptionNoticeProps) {
  if (interruption === undefined) return null;
  const credits = receipt?.credits;
  return (
    <Notice
      tone="warning"
      actions={
        <>
          {onRetry && (
            <Anchor component="button" type="button" onClick={onRetry}>
              Retry
            </Anchor>
          )}
          {credits === undefined && interruption !== 'settling' && <Link href="/usage">View usage</Link>}
        </>
      }
    >
      {credits === undefined ? sentences[interruption] : `Interrupted. ${creditCount(credits, formatCredits)} charged.`}
    </Notice>
  );
}

const sentences = {
  'before-response': 'Interrupted before the response began.',
  settling: 'Interrupted. Checking the charge…',
  settled: 'Interrupted. The charge will appear in the credit history.',
} as const;
