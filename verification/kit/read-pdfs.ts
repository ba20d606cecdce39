import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Pages of PDFs as pdf.js gives them, and the numbers of its operators. The library is a module, which Jest cannot load. */
export async function readPdfs<Page, Operators>(
  pdfs: readonly Buffer[],
): Promise<{ operators: Operators; pages: Page[][] }> {
  const child = spawn(process.execPath, [join(__dirname, 'pdf-reader.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(pdfs.map((pdf) => `${pdf.toString('base64')}\n`).join(''));
  const [first = '', ...rest] = (await text(child.stdout)).trim().split('\n');
  return { operators: JSON.parse(first) as Operators, pages: rest.map((line) => JSON.parse(line) as Page[]) };
}
