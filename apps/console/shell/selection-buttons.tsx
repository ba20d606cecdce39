import { Button } from '../controls/button';
import { useFormats } from '../text/texts';
import type { Selecting } from './use-selection';

interface Props {
  selecting: Pick<Selecting<unknown>, 'selection' | 'markAll' | 'clear'>;
  texts: { all: string; clear: (count: string) => string };
}

/** After the acts on a selection: more of it, or none. */
export function SelectionButtons({ selecting: { selection, markAll, clear }, texts }: Props) {
  const formats = useFormats();
  return (
    <>
      <Button kind="quiet" onPress={markAll}>
        {texts.all}
      </Button>
      <Button kind="quiet" onPress={clear}>
        {texts.clear(formats.number(selection.size))}
      </Button>
    </>
  );
}
