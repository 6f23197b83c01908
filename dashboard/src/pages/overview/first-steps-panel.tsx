import { ActionIcon, Anchor, Button, Group, Progress, Text, Tooltip, VisuallyHidden, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { firstModelFor } from '#contract/inference/models.ts';
import { useConfig } from '../../api/config.ts';
import { isPlaygroundKey } from '../../api/keys.ts';
import { useKeys, useMe } from '../../api/reads.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { ResendConfirmation, useResend } from '../../components/emails.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/page.tsx';
import { rescueFocus } from '../../lib/focus.ts';
import { useQueryChoice } from '../../lib/hooks.ts';
import { freePlanText } from '../../lib/offer.ts';
import { type FirstSteps, type StepId, stepIds } from './first-steps.ts';
import css from './overview.module.css';

const steps: Readonly<Record<StepId, { readonly title: string; readonly text: ReactNode; readonly more?: ReactNode }>> =
  {
    confirm: { title: 'Confirm your email', text: <ConfirmText /> },
    key: { title: 'Create an API key', text: 'Your programs use it to call the API.' },
    call: {
      title: 'Make your first call',
      text: 'From your own program, or in the playground.',
      more: <FirstCall />,
    },
    plan: {
      title: 'Choose a plan',
      text: `${freePlanText} Larger plans have more, and their unused credits roll over.`,
    },
  };

export default function FirstStepsPanel({ done, dismiss }: Pick<FirstSteps, 'done' | 'dismiss'>) {
  const next = stepIds.find((id) => !done.has(id));

  function hide(): void {
    dismiss();
    rescueFocus();
  }

  return (
    <Panel
      title="First steps"
      aside={
        <Group gap="xs">
          <Text size="sm" c="dimmed" className="number">
            {done.size} of {stepIds.length} done
          </Text>
          <Tooltip label="Dismiss">
            <ActionIcon variant="subtle" color="gray" aria-label="Dismiss first steps" onClick={hide}>
              <Icon name="close" />
            </ActionIcon>
          </Tooltip>
        </Group>
      }
    >
      <Progress value={(100 * done.size) / stepIds.length} size={6} mb="md" aria-label="First steps done" />
      <ol className={css.steps}>
        {stepIds.map((id) => (
          <Step key={id} id={id} isDone={done.has(id)} isNext={id === next} />
        ))}
      </ol>
    </Panel>
  );
}

function Step({ id, isDone, isNext }: { id: StepId; isDone: boolean; isNext: boolean }) {
  const { title, text, more } = steps[id];
  return (
    <li className={css.step} aria-current={isNext ? 'step' : undefined}>
      <span className={isDone ? css.tick : css.open}>{isDone && <Icon name="check" size={14} />}</span>
      <div>
        <Text fw={600} {...(isDone && { c: 'dimmed' })}>
          {title}
          {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {!isDone && <StepButton id={id} isNext={isNext} />}
      {!isDone && more && <div className={css.more}>{more}</div>}
    </li>
  );
}

/** In local mode the step's button opens the inbox, so the link to resend the email is here. */
function ConfirmText() {
  const { local } = useConfig();
  const { data: me } = useMe();
  return (
    <>
      Required for API keys and plans. Open the link sent to {me?.email}
      {local && (
        <>
          , or <ResendConfirmation />
        </>
      )}
      .
    </>
  );
}

const links = {
  key: { href: '/keys?new', label: 'Create API key' },
  call: { href: '/playground', label: 'Open the playground' },
  plan: { href: '/plans', label: 'Compare plans' },
} as const;

function StepButton({ id, isNext }: { id: StepId; isNext: boolean }) {
  const variant = isNext ? 'filled' : 'default';
  if (id === 'confirm') return <ConfirmButton />;
  return (
    <Button component={Link} href={links[id].href} variant={variant}>
      {links[id].label}
    </Button>
  );
}

function ConfirmButton() {
  const { local } = useConfig();
  const { run, isRunning } = useResend();
  if (local)
    return (
      <Button component="a" href="/_local/inbox">
        Open local inbox
      </Button>
    );
  return (
    <Button loading={isRunning} onClick={() => void run(undefined)}>
      Resend the email
    </Button>
  );
}

/** Snippets of a first call. Only the prefix of the key is known, since keys are shown once. */
function FirstCall() {
  const { data: keys } = useKeys();
  const [language, setLanguage] = useQueryChoice('language', ['curl', 'javascript', 'python', 'openai', 'anthropic']);
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

interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** Returns the same call for five clients. `key` is the known prefix of the key. */
function snippets(origin: string, key: string): Snippet[] {
  const model = firstModelFor('chat');
  const body = `{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}`;
  return [
    {
      id: 'curl',
      title: 'cURL',
      code: `export API_KEY="${key}"

curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
    {
      id: 'javascript',
      title: 'JavaScript',
      code: `// API_KEY="${key}" node first-call.mjs
const response = await fetch('${origin}/v1/chat/completions', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] }),
});
const { message, data, detail } = await response.json();
console.log(data?.choices[0].message.content ?? \`\${message}: \${detail}\`);`,
    },
    {
      id: 'python',
      title: 'Python',
      code: `# API_KEY="${key}" python first_call.py
import json, os, urllib.request

request = urllib.request.Request(
    "${origin}/v1/chat/completions",
    headers={
        "Authorization": f"Bearer {os.environ['API_KEY']}",
        "Content-Type": "application/json",
    },
    data=json.dumps({"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}).encode(),
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"]["choices"][0]["message"]["content"])`,
    },
    {
      id: 'openai',
      title: 'OpenAI SDK',
      code: `// npm install openai; API_KEY="${key}" node first-call.mjs
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/openai/v1', apiKey: process.env.API_KEY });
const completion = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(completion.choices[0].message.content);`,
    },
    {
      id: 'anthropic',
      title: 'Anthropic SDK',
      code: `// npm install @anthropic-ai/sdk; API_KEY="${key}" node first-call.mjs
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}/anthropic', apiKey: process.env.API_KEY });
const message = await client.messages.create({
  model: '${model}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(message.content[0].text);`,
    },
  ];
}
