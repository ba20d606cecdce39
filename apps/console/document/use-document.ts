import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useState } from 'react';
import { openPdf, textOf } from './pdf';

export type Load = () => Promise<ArrayBuffer>;

export type Opened = 'loading' | 'failed' | PDFDocumentProxy;

interface Listeners {
  onText: (text: string) => void;
  onBroken: () => void;
}

/** Loads and opens a document; another `load` is another document. */
export function useDocument(load: Load | null, { onText, onBroken }: Listeners): Opened {
  const [latest, setLatest] = useState<{ load: Load | null; opened: Opened }>({ load, opened: 'loading' });
  useEffect(() => {
    if (!load) return undefined;
    const closed = new AbortController();
    const open = async (): Promise<void> => {
      const document = await openPdf(await load());
      const close = () => void document.loadingTask.destroy();
      closed.signal.addEventListener('abort', close);
      if (closed.signal.aborted) {
        close();
        return;
      }
      setLatest({ load, opened: document });
      onText(await textOf(document));
    };
    open().catch(() => {
      if (closed.signal.aborted) return;
      setLatest({ load, opened: 'failed' });
      onBroken();
    });
    return () => {
      closed.abort();
    };
  }, [load, onText, onBroken]);
  return latest.load === load ? latest.opened : 'loading';
}
