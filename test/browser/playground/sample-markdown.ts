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
