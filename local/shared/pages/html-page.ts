export interface HtmlPage {
  readonly title: string;
  /** More elements of its head. */
  readonly head?: string;
  /** Style beside that of all pages. */
  readonly style: string;
  readonly body: string;
  /** Runs at the end; the policy of the page must let it. */
  readonly script?: string;
}

/** A whole page of the service's own: light or dark as the person has it, nothing loaded from elsewhere. */
export function htmlPage({ title, head = '', style, body, script }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${head}
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${common}${style}</style>
</head>
<body>
${body}
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
}

const common = `
:root { --ink: #1c2024; --dim: #60646c; --line: #e0e1e6; --page: #f6f7f9; --card: #fff; --accent: #2457d6; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --dim: #a5aab3; --line: #33373d; --page: #111214; --card: #1a1c1f; --accent: #8fb0ff; --on-accent: #0b1533; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .4rem; }
`;
