import { Tabs, Text } from '@mantine/core';
import { CodeBlock } from '../../components/elements/code-block.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { useQueryChoice } from '../../lib/hooks/use-query.ts';
import { verifySnippets } from './verify-snippets.ts';

/** How a server verifies that a request comes from here. */
export function VerifyPanel() {
  const [language, setLanguage] = useQueryChoice('language', ['node', 'python']);
  return (
    <Panel title="Verify signatures">
      <Text size="sm" c="dimmed" mb="sm">
        Requests are signed according to Standard Webhooks. Verify the raw body before you parse it, and respond with
        2xx within 15 s.
      </Text>
      <Tabs value={language} onChange={setLanguage} variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Language">
          {verifySnippets.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {verifySnippets.map(({ id, title, code }) => (
          <Tabs.Panel key={id} value={id}>
            <CodeBlock code={code} what={`${title} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}
