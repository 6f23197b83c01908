import type { Page } from 'playwright-core';

/** Visible texts that are a split number or an ISO timestamp. */
export const unreadableTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement } = node;
    if (parentElement.closest('script, style, pre, code, textarea, .mono') || !parentElement.checkVisibility()) continue;
    if (/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d/.test(node.data)) found.push('timestamp: ' + node.data);
    for (const { 0: number, index } of node.data.matchAll(/(?<![\\w-])[+−$]*\\d[\\d.,:]*\\d%?(?!\\w)/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push('broken number: ' + number);
    }
  }
  return found;
})()`);
