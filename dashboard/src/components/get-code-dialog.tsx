import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { CodeRequest } from '../lib/code/code-request.ts';
import { codeSnippets } from '../lib/code/snippets.ts';
import { CodeBlock } from './copy.tsx';
import { Modal } from './overlays.tsx';

interface GetCodeProps {
  /** Called when the dialog opens. */
  readonly request: () => CodeRequest;
}

interface GetCodeDialogProps extends GetCodeProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function GetCodeDialog({ request, isOpen, onClose }: GetCodeDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Get code`} size="xl">
      <Snippets request={request} />
    </Modal>
  );
}

function Snippets({ request }: GetCodeProps) {
  const [snippets] = useState(() => codeSnippets(window.location.origin, request()));
  const [id, setId] = useState('curl');
  const chosen = snippets.find((snippet) => snippet.id === id) ?? snippets[0];
  const language = chosen?.title ?? '';
  return (
    <Stack gap="sm">
      <Select
        label={t`Language`}
        data={snippets.map(({ id: value, title: label }) => ({ value, label }))}
        value={chosen?.id ?? null}
        allowDeselect={false}
        onChange={(value) => value !== null && setId(value)}
      />
      {chosen && <CodeBlock code={chosen.code} what={t`${language} code`} maxHeight={28} />}
      <Text size="sm" c="dimmed">
        <Trans>
          The code reads your API key from <span className="mono">$API_KEY</span>:{' '}
          <Anchor component={Link} href="/keys?new" inherit underline="always">
            create one
          </Anchor>
          . Keep it out of code and browsers.
        </Trans>
      </Text>
    </Stack>
  );
}
