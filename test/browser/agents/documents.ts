import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { expectReadable } from '../pages/findings.ts';
import { changeData, eventually, open, press, service, shoot, shows, visit } from '../stage.ts';
import { handbook } from './agents.ts';

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await press(page, 'Choose file');
  await (await choosing).setFiles({ name, mimeType: 'text/plain', buffer });
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.getByLabel('Text', { exact: true }).dispatchEvent('drop', { dataTransfer });
}

export function agentDocumentTests(): void {
  test('uploaded documents are checked before they are sent, and are deleted after confirmation', async () => {
    const owner = await agentOwner(service);
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    await page.getByRole('link', { name: 'Add a document' }).click();
    await shows(page, '0 of 2,000 passages used');
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Pasted');
    await page.getByRole('tab', { name: 'Conversations' }).click();
    await page.getByRole('tab', { name: 'Documents' }).click();
    expect(await text.inputValue()).toBe('Pasted');
    await choose(page, 'large.md', Buffer.alloc(1024 * 1024 + 1, 'a'));
    await shows(page, 'The file is larger than 1 MiB');
    await choose(page, 'old.txt', Buffer.from([0xe9, 0x20, 0xff]));
    await shows(page, 'The file is not UTF-8 text');
    await choose(page, 'page.pdf', Buffer.from('%PDF'));
    await shows(page, 'Choose a .txt or .md file');
    await drop(page, 'house.md', `# House\n\n${`${handbook}\n\n`.repeat(60)}`);
    await eventually(() => page.getByLabel('Name').inputValue()).toBe('house.md');
    await shows(page, /^5\.\d KiB of 1 MiB, about 0\.1\d credits$/);
    await press(page, 'Add document');
    await page.getByRole('row', { name: /house\.md Ready .* 0\.1\d+ / }).waitFor();
    await shows(page, /“house\.md” was added\. Indexing \d+ passages\./);
    await eventually(() => page.getByText(/of 2,000 passages used/).textContent()).not.toMatch(/^0 /);
    await shoot(page, 'agents-documents');
    await press(page, 'Delete house.md');
    await press(page, 'Delete document');
    await shows(page, 'No documents yet');
    await shows(page, '0 of 2,000 passages used');
    await press(page, 'Delete agent');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete agent' }).click();
    await shows(page, 'No agents yet');
    expect((await owner.call('GET', owner.path)).status).toBe(404);
    await page.goBack();
    await shows(page, 'Agent not found');
  });

  test('an indexing document shows its progress, and a failed one shows the remedy', async () => {
    const owner = await agentOwner(service);
    const page = await visit(owner);
    const usage = { prompt_tokens: 0, total_tokens: 0 };
    const shown = { createdAt: '2026-03-01T10:00:00.000Z', bytes: 90_000, chunks: 100, credits: 9, usage };
    const documents = [
      { ...shown, id: 'doc_2', name: 'Rules of the house', status: 'indexing', indexedChunks: 40 },
      { ...shown, id: 'doc_1', name: 'Menu', status: 'failed', indexedChunks: 16 },
    ];
    await changeData(page, '**/documents?*', () => ({ items: documents, nextCursor: null }));
    await page.goto(`/agents?agent=${owner.agent.id}&tab=documents`);
    await shows(page, 'Indexing: 40 of 100');
    await shows(page, 'Failed. Add it again.');
    await expectReadable(page, 'agents-indexing');
    documents.splice(0, 1, { ...shown, id: 'doc_2', name: 'Rules of the house', status: 'ready', indexedChunks: 100 });
    await page.getByRole('row', { name: /Rules of the house Ready/ }).waitFor();
  });
}
