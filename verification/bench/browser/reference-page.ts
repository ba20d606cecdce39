import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As high as a row of the console's list. */
const ROW_PX = 76;
const ROWS = 1_000;

const SCRIPT = `
  let at = 0;
  const rows = document.querySelectorAll('[role=option]');
  addEventListener('keydown', ({ key }) => {
    if (key !== 'j') return;
    rows[at].setAttribute('aria-selected', 'false');
    rows[++at].setAttribute('aria-selected', 'true');
  });`;

const PAGE = `<!doctype html><html lang="en"><title>Reference</title>
<style>
  main { height: 100vh; overflow: auto }
  [role=option] { height: ${ROW_PX}px } [aria-selected=true] { background: #def }
</style>
<main role="listbox" tabindex="0">${Array.from(
  { length: ROWS },
  (_, number) =>
    `<div role="option" id="row-${number}" aria-selected="${number === 0}"><b>Customer ${number}</b><p>Bedrocan 22/1</p></div>`,
).join('')}</main><script>${SCRIPT}</script></html>`;

export interface ReferencePage {
  url: string;
  close: () => void;
}

/** A list without a framework, from a bare server: what the same browser does at least, on the same busy machine. */
export async function serveReferencePage(): Promise<ReferencePage> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
