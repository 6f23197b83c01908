import { Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCredits } from '../../lib/format.ts';
import css from './playground.module.css';
import type { ExchangeState } from './use-exchange.ts';
import { asCurl, prettyJson } from './wire.ts';

const milliseconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;

/** What was sent, what came, and what it came to. */
export function Inspector({ exchange: { sent, receipt } }: { exchange: ExchangeState }) {
  if (!sent)
    return (
      <Text size="sm" c="dimmed">
        The request, the answer as it came, tokens, credits and times appear here.
      </Text>
    );
  return (
    <Panel title="What went over the wire">
      <dl className={css.receipt}>
        <Reading title="First token">{milliseconds(receipt?.firstTokenMs)}</Reading>
        <Reading title="Whole answer">{milliseconds(receipt?.totalMs)}</Reading>
        <Reading title="Tokens in + out">
          {receipt?.tokens && `${receipt.tokens.prompt} + ${receipt.tokens.total - receipt.tokens.prompt}`}
        </Reading>
        <Reading title="Credits">{receipt?.credits !== undefined && formatCredits(receipt.credits)}</Reading>
      </dl>
      <Tabs defaultValue="request" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Request and answer">
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Answer</Tabs.Tab>
          <Tabs.Tab value="curl">As curl</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <CodeBlock
            code={`${sent.route.method} ${sent.route.path}\n\n${JSON.stringify(sent.body, undefined, 2)}`}
            what="request"
            maxHeight={22}
          />
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <CodeBlock code={prettyJson(receipt?.response ?? '') || '…'} what="answer" maxHeight={22} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <CodeBlock code={asCurl(window.location.origin, sent)} what="curl line" maxHeight={22} />
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

function Reading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children || '–'}</dd>
    </div>
  );
}
