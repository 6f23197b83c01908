import { Badge, Group, Text } from '@mantine/core';
import { CodeBlock } from '../../../components/elements/code-block.tsx';
import { count, formatDuration } from '../../../lib/format.ts';
import { prettyJson } from '../../playground/tab/text.tsx';
import css from '../reference.module.css';
import type { TrialResponse } from './trial.ts';

/** Status, time, headers and body of a response, which may still be coming. */
export function TrialResult({
  response: { status, headers, text, omitted, isComplete, ms },
}: {
  response: TrialResponse;
}) {
  return (
    <section aria-label="Response">
      <Group gap="xs" mb="xs">
        <Badge color={status < 400 ? 'pine' : 'red'}>{status}</Badge>
        <Text size="sm" c="dimmed" role="status">
          {isComplete ? `Complete in ${formatDuration(ms)}` : 'Receiving…'}
        </Text>
      </Group>
      <CodeBlock
        code={isComplete && omitted === 0 && isJson(headers) ? prettyJson(text) : text}
        what="response body"
        maxHeight={24}
      />
      {omitted > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {count(omitted, 'more character')} not shown.
        </Text>
      )}
      <details className={css.headers}>
        <summary>Headers</summary>
        <CodeBlock code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} what="response headers" />
      </details>
    </section>
  );
}

const isJson = (headers: TrialResponse['headers']): boolean =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'));
