import { Button } from '../controls/button';
import { useTexts } from '../text/texts';
import css from './requests.module.css';

interface Props {
  pane: 'review' | 'document';
  onPane: (pane: 'review' | 'document') => void;
}

/** On a screen too narrow for review and document beside each other. */
export function PaneSwitch({ pane, onPane }: Props) {
  const texts = useTexts().requests;
  return (
    <div className={css.tabs}>
      <div className={css.switch} role="group" aria-label={texts.panes}>
        {(['review', 'document'] as const).map((each) => (
          <Button
            key={each}
            kind={each === pane ? 'plain' : 'quiet'}
            aria-pressed={each === pane}
            onPress={() => onPane(each)}
          >
            {texts[each]}
          </Button>
        ))}
      </div>
    </div>
  );
}
