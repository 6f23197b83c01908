import { Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCredits, formatDuration } from '../../lib/format.ts';
import { curlCommand } from './curl-command.ts';
import css from './playground.module.css';
import { prettyJson } from './pretty-json.ts';
import type { ExchangeState } from './use-exchange.ts';

const milliseconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatDuration(ms);

/** Request, response, tokens, credits and times of the last call. */
export function Inspector({ exchange: { sent, receipt } }: { exchange: ExchangeState }) {
  if (!sent)
    return (
      <Text size="sm" c="dimmed">
        Request, response, tokens, credits and times appear here.
      </Text>
    );
  return (
    <Panel title="Request details">
      <dl className={css.receipt}>
        <Metric title="Time to first token">{milliseconds(receipt?.firstTokenMs)}</Metric>
        <Metric title="Total time">{milliseconds(receipt?.totalMs)}</Metric>
        <Metric title="Tokens (in + out)">
          {receipt?.tokens && `${receipt.tokens.prompt} + ${receipt.tokens.total - receipt.tokens.prompt}`}
        </Metric>
        <Metric title="Credits">{receipt?.credits !== undefined && formatCredits(receipt.credits)}</Metric>
      </dl>
      <Tabs defaultValue="request" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Request and response">
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Response</Tabs.Tab>
          <Tabs.Tab value="curl">cURL</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <CodeBlock
            code={`${sent.route.method} ${sent.route.path}\n\n${JSON.stringify(sent.body, undefined, 2)}`}
            what="request"
            maxHeight={22}
          />
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <CodeBlock code={prettyJson(receipt?.response ?? '') || '…'} what="response" maxHeight={22} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <CodeBlock code={curlCommand(window.location.origin, sent)} what="cURL command" maxHeight={22} />
        </Tabs.Panel>
      </Tabs>
      {receipt?.requestId !== undefined && (
        <Text size="xs" c="dimmed" mt="xs" className="mono">
          request {receipt.requestId}
        </Text>
      )}
    </Panel>
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
