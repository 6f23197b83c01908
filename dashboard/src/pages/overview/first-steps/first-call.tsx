import { Anchor, Tabs, Text } from '@mantine/core';
import { Link } from 'wouter';
import { isPlaygroundKey } from '../../../api/keys/playground-keys.ts';
import { useKeys } from '../../../api/reads.ts';
import { CodeBlock } from '../../../components/elements/code-block.tsx';
import { useQueryChoice } from '../../../lib/hooks/use-query.ts';
import { snippets } from './snippets.ts';

/** The first call, to paste. Keys are shown once only, so the snippet has what is kept of one: its beginning. */
export function FirstCall() {
  const { data: keys } = useKeys();
  const [language, setLanguage] = useQueryChoice('language', ['curl', 'javascript', 'python', 'openai']);
  const key = keys?.find((one) => one.status === 'active' && !isPlaygroundKey(one));
  if (!key) return null;
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        Replace the value of API_KEY with your key “<bdi>{key.name}</bdi>”. Lost it?{' '}
        <Anchor component={Link} href="/keys" inherit underline="always">
          Rotate it
        </Anchor>
        .
      </Text>
      <Tabs value={language} onChange={setLanguage} variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Language">
          {snippets('', '').map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets(window.location.origin, `${key.prefix}…`).map(({ id, title, code }) => (
          <Tabs.Panel key={id} value={id}>
            <CodeBlock code={code} what={`${title} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
