import { Button } from '../controls/button';
import { useKeys } from '../keyboard/keys';
import { useTexts } from '../text/texts';

interface Props {
  count: number;
  /** Such as "3 neue Anfragen"; the button has room for less. */
  name: string;
  /** In the list of keys. */
  does: string;
  onShow: () => void;
}

/** New rows above the visible ones wait for `.`. The button is in the head of the list, so that it moves no row. */
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
