import { Anchor, Tabs, Text } from '@mantine/core';
import { Link } from 'wouter';
import { creditRoutes } from '#contract/routes/credits.ts';
import { isPlaygroundKey } from '../../api/playground-keys.ts';
import { useKeys } from '../../api/reads.ts';
import { useData } from '../../api/use-data.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Panel } from '../../components/panel.tsx';
import { useQueryChoice } from '../../lib/use-query.ts';
import { snippets } from './snippets.ts';

/**
 * The first call, to paste, until a call was made. Keys are shown once only, so the snippet has what is kept of one: its
 * beginning.
 */
export function FirstCallPanel() {
  const { data: keys, isPending } = useKeys();
  const { data: usage, isPending: isUsagePending } = useData(creditRoutes.getUsage, { query: {} });
  const [language, setLanguage] = useQueryChoice('language', ['curl', 'javascript', 'python', 'openai']);
  const hasCalled = (usage?.days.length ?? 0) > 0 || keys?.some(({ lastUsedAt }) => lastUsedAt !== null);
  if (isPending || isUsagePending || hasCalled) return null;
  const key = keys?.find((one) => one.status === 'active' && !isPlaygroundKey(one));
  return (
    <Panel title="Your first call">
      <Text size="sm" c="dimmed" mb="sm">
        {key ? (
          <>
            Replace the value of API_KEY with your key “<bdi>{key.name}</bdi>”. Lost it?{' '}
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
      <Tabs value={language} onChange={setLanguage} variant="pills" keepMounted={false}>
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
