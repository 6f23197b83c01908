import { Anchor, Tabs, Text } from '@mantine/core';
import { Link } from 'wouter';
import { isPlaygroundKey } from '../../api/playground-keys.ts';
import { useKeys } from '../../api/reads.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Panel } from '../../components/panel.tsx';
import { snippets } from './snippets.ts';

/** The first call, to paste. Keys are shown once only, so the snippet has what is kept of one: its beginning. */
export function FirstCallPanel() {
  const { data: keys } = useKeys();
  const key = keys?.find((one) => one.status === 'active' && !isPlaygroundKey(one));
  return (
    <Panel title="Your first call">
      <Text size="sm" c="dimmed" mb="sm">
        {key ? (
          <>
            Replace the value of API_KEY with your key “{key.name}”. Lost it?{' '}
            <Anchor component={Link} href="/keys" inherit underline="always">
              Rotate it
            </Anchor>
            .
          </>
        ) : (
          <>
            <Anchor component={Link} href="/keys?new" inherit underline="always">
              Create an API key
            </Anchor>{' '}
            or try the{' '}
            <Anchor component={Link} href="/playground" inherit underline="always">
              playground
            </Anchor>
            .
          </>
        )}
      </Text>
      <Tabs defaultValue="curl" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Language">
          {snippets('', '').map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets(window.location.origin, key ? `${key.prefix}…` : 'YOUR_API_KEY').map(({ id, title, code }) => (
          <Tabs.Panel key={id} value={id}>
            <CodeBlock code={code} what={`${title} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}
