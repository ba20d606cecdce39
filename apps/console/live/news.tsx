import { Button } from '../controls/button';
import { useKeys } from '../shell/keys';
import { useTexts } from '../text/texts';

interface Props {
  count: number;
  /** Such as "3 neue Anfragen"; the button has room for less. */
  name: string;
  /** In the list of keys. */
  does: string;
  onShow: () => void;
}

/** New rows above what is being read wait for `.`; the button stands in the head of the list and moves nothing. */
export function News({ count, name, does, onShow }: Props) {
  const texts = useTexts().live;
  useKeys('page', [{ keys: '.', does, run: onShow, hidden: count === 0 }]);
  return (
    <div role="status">
      {count > 0 && (
        <Button shortcut="." aria-label={name} onPress={onShow}>
          {texts.news(count)}
        </Button>
      )}
    </div>
  );
}
