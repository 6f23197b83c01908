import { Box, Tabs, Text } from '@mantine/core';
import { useMemo } from 'react';
import { CodeBlock } from '../../../components/elements/code-block.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { curlCommand } from '../code/curl.ts';
import type { Figures } from '../exchange/receipt.ts';
import type { ExchangeState } from '../exchange/use-exchange.ts';
import { type Measured, Metrics } from './metrics.tsx';
import { prettyJson } from './pretty-json.ts';

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
