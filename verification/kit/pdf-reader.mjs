/** Reads PDFs (lines of base64) with the library that the console reads them with; prints their pages as lines of JSON. */
import { createInterface } from 'node:readline';
import { getDocument, OPS, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';

process.stdout.write(`${JSON.stringify(OPS)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const data = new Uint8Array(Buffer.from(line, 'base64'));
  const document = await getDocument({ data, verbosity: VerbosityLevel.ERRORS }).promise;
  const pages = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { width, height, rotation, transform } = page.getViewport({ scale: 1 });
    const [{ items }, annotations, { fnArray, argsArray }] = await Promise.all([
      page.getTextContent(),
      page.getAnnotations(),
      page.getOperatorList(),
    ]);
    const plain = argsArray.map(
      (args) => args && [...args].map((one) => (one instanceof Float32Array ? [...one] : one)),
    );
    const operators = { fnArray, argsArray: plain };
    pages.push({ number, viewport: { width, height, rotation, transform }, items, annotations, operators });
  }
  process.stdout.write(`${JSON.stringify(pages)}\n`);
  await document.loadingTask.destroy();
}
