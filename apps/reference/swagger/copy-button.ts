import type { MouseEvent } from 'react';
import type { System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** A component of Swagger UI's React: copies the text of the samples around it, and says so. */
export function copyButton({ React }: System) {
  const { createElement: h, Fragment, useState } = React;

  return function CopyButton({ text }: { text: string }) {
    const [copied, setCopied] = useState({ text: '', said: '' });
    const copy = ({ currentTarget }: MouseEvent): void => {
      const shown = currentTarget.closest('.samples')?.querySelector('code');
      void copyOrSelect(text, shown).then((said) => setCopied({ text, said }));
    };
    return h(
      Fragment,
      null,
      h('span', { role: 'status' }, copied.text === text ? copied.said : ''),
      h('button', { type: 'button', onClick: copy }, 'Copy'),
    );
  };
}

/** A browser may refuse, and has no clipboard for a page without TLS. Then the text is selected for the reader. */
async function copyOrSelect(text: string, shown: Element | null | undefined): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return 'The browser does not copy. The text is selected: copy it by keyboard.';
  }
}
