import type { System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { MouseEvent } from 'react';
import type { Description } from '@offizin/openapi/samples/described-call';
import { SAMPLE_LANGUAGES, type SampleLanguage, samplesOf } from '@offizin/openapi/samples/samples';
import type { Access } from '../access/access';

/** The language that the reader chose, for all calls of the page. */
let chosen: SampleLanguage = 'curl';
const listeners = new Set<() => void>();

function choose(language: SampleLanguage): void {
  chosen = language;
  for (const listener of listeners) listener();
}

interface PanelProps {
  path: string;
  method: string;
}

/** A component of Swagger UI's React: the samples of one call, one language at a time. */
export function samplesPanel(system: System, description: Description, access: Access) {
  const { createElement: h, useSyncExternalStore } = system.React;
  const CopyButton = copyButton(system);
  const listen = (listener: () => void): (() => void) => {
    listeners.add(listener);
    const stop = access.onChange(listener);
    return () => {
      listeners.delete(listener);
      stop();
    };
  };
  const snapshot = (): string => `${chosen} ${access.organizationId ?? ''} ${access.shopId ?? ''}`;

  return function Samples({ path, method }: PanelProps) {
    useSyncExternalStore(listen, snapshot);
    const samples = samplesOf(description, path, method, access);
    if (!samples) return null;
    const tabs = SAMPLE_LANGUAGES.map((language) =>
      h(
        'button',
        {
          key: language,
          type: 'button',
          'aria-pressed': language === chosen,
          onClick: () => choose(language),
        },
        language,
      ),
    );
    return h(
      'section',
      { className: 'samples', 'aria-label': `Samples of ${method.toUpperCase()} ${path}` },
      h(
        'div',
        { className: 'samples-head' },
        h('div', { role: 'group', 'aria-label': 'Language of the samples' }, tabs),
        h(CopyButton, { text: samples[chosen] }),
      ),
      h('pre', { tabIndex: 0 }, h('code', null, samples[chosen])),
    );
  };
}

/** A component of Swagger UI's React: copies the text of the samples around it, and confirms it. */
function copyButton({ React }: System) {
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
