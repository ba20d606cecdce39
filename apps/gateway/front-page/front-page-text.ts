import type { Operation } from '@offizin/contracts/calls/operation';
import { NOUNS } from '@offizin/openapi/document';
import type { Guide } from './guides';

/** Titles and sentences are ours (docs/integrate), but they are text, not HTML. */
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => `&#${letter.codePointAt(0)};`).replace(/`([^`]*)`/g, '<code>$1</code>');

export function frontPage(guides: readonly Guide[]): string {
  const items = guides.map(
    (guide) =>
      `<li><a href="${pageOf(guide)}">${escaped(guide.title)}</a>: ${escaped(guide.about)}
          <a href="/guides/${guide.file}">As text</a></li>`,
  );
  const nouns = NOUNS.map(
    ({ name, description }) => `<li><a href="/docs#/${name}">${name}</a>: ${escaped(description)}.</li>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Offizin</title>
    <link rel="stylesheet" href="/front-page.css">
  </head>
  <body>
    <main>
      <h1>Offizin</h1>
      <p>Orders for pharmacies: an API for integrators, a connector for telemedicine platforms, a console for staff.</p>
      <h2>For people of a pharmacy</h2>
      <ul><li><a href="/console">Console</a></li></ul>
      <h2>For integrators</h2>
      <ul>
        <li><a href="/docs">Reference</a> of the organization API; the description as
          <a href="/openapi/external-api.yaml">YAML</a> and <a href="/openapi/external-api.json">JSON</a>; all calls as a
          <a href="/openapi/postman-collection.json">collection for Postman</a></li>
        <li><a href="/.well-known/oauth-authorization-server">OAuth metadata</a>,
          <a href="/.well-known/jwks.json">public keys of tokens</a> and
          <a href="/.well-known/offizin-proof-keys">of proofs</a>, <a href="/llms.txt">llms.txt</a> for agents</li>
      </ul>
      <h3>Guides</h3>
      <ul>
        ${items.join('\n        ')}
      </ul>
      <h3>Calls</h3>
      <ul>
        ${nouns.join('\n        ')}
      </ul>
      <h2>Health</h2>
      <p><a href="/health">/health</a> answers while this gateway takes requests.</p>
    </main>
  </body>
</html>
`;
}

export const FRONT_PAGE_CSS = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem; }
a { color: LinkText; }
`;

/** Where the reference shows a guide. */
const pageOf = ({ file }: Guide): string => `/docs#/guides/${file.replace(/\.md$/, '')}`;

/** An index for agents (llmstxt.org): the guides, the pages of the reference, then every operation with its address. */
export function llmsText(guides: readonly Guide[], operations: readonly Operation[]): string {
  const pages = guides.map(({ file, title, about }) => `- [${title}](/guides/${file}): ${about}`);
  const nouns = NOUNS.map(({ name, description }) => `- [${name}](/docs#/${name}): ${description}.`);
  const calls = operations.map(({ method, path, summary, access }) => {
    const who =
      access === 'anyone' ? 'no token' : access === 'connector' ? 'integration key' : `scope ${access}`;
    return `- ${method} ${path}: ${summary} (${who})`;
  });
  return `# Offizin

> Orders for pharmacies: an organization API for integrators, a connector for telemedicine platforms, signed webhooks.

- [OpenAPI description](/openapi/external-api.yaml): every operation with its fields and errors
- An organization's API key, for an ERP system or a marketplace, opens the organization API. An integration key, for a telemedicine
  platform, opens the connector at a shop's own domain
- Token: POST /auth/token with an API key; send it as \`Authorization: Bearer\`
- Errors are JSON with a stable \`error\`, a \`message\` that says what to do, and \`X-Request-Id\`

## Guides

${pages.join('\n')}

## Reference

${nouns.join('\n')}

## Operations

${calls.join('\n')}
`;
}
