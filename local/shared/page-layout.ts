/** A whole page of the service's own: one column, light or dark as the person has it, nothing loaded from elsewhere. */
export function pageLayout(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

const style = `
:root { --ink: #1c2024; --dim: #60646c; --line: #e0e1e6; --page: #f6f7f9; --card: #fff; --accent: #2457d6; --good: #12795a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --dim: #a5aab3; --line: #33373d; --page: #111214; --card: #1a1c1f; --accent: #8fb0ff; --good: #5fd3ac; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1rem 4rem; display: grid; gap: 1.25rem; }
main > * { min-width: 0; }
h1 { margin: 0; font-size: 1.8rem; letter-spacing: -.015em; }
h2 { margin: 0 0 .75rem; font-size: 1.1rem; }
p { margin: 0 0 .75rem; }
.lead { color: var(--dim); margin: .25rem 0 0; }
.dot { display: inline-block; width: .6rem; height: .6rem; margin-right: .4rem; border-radius: 50%; background: var(--good); }
section { padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
section > :last-child { margin-bottom: 0; }
nav { display: flex; flex-wrap: wrap; gap: .5rem; }
nav a { padding: .45rem .9rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); text-decoration: none; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .4rem; }
pre { margin: 0 0 .75rem; padding: .9rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--page); white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
pre, code { font: .85rem/1.5 ui-monospace, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th, td { padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th { border-top: 0; color: var(--dim); font-weight: 500; }
`;
