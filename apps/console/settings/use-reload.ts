import { sentenceOf } from '../shell/fault';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';

/** Reads once more what somebody else has changed, and hands it on; says so where it cannot be read. */
export function useReload<Data>(read: () => Promise<Data>, take: (data: Data) => void): () => void {
  const texts = useTexts();
  return () => {
    const onFailure = (error: unknown) => toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    void read().then(take, onFailure);
  };
}
