import { type RefObject, useEffect, useRef } from 'react';
import { ListBox, ListBoxItem, Popover } from 'react-aria-components';
import css from './picker-list.module.css';

/** One of several values; the first id may be '' for "all". */
export interface ListedChoice {
  label: string;
  choices: readonly { id: string; name: string }[];
  chosen: string;
  onChoose: (id: string) => void;
}

interface Props extends ListedChoice {
  id: string;
  /** The button that has opened it. */
  trigger: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

const MAX_HEIGHT_PX = 420;

/** The choices of a picker. Letters find one by its name; Escape and a press outside close it. */
export default function PickerList({
  id: listId,
  label,
  choices,
  chosen,
  trigger,
  onChoose,
  onClose,
}: Props) {
  const list = useRef<HTMLDivElement>(null);
  // After a click by a screen reader the library waits, and the button has lost the focus by then.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const { current } = list;
      if (!current?.contains(document.activeElement))
        current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Popover
      className={css.popover ?? ''}
      aria-label={label}
      triggerRef={trigger}
      scrollRef={list}
      placement="bottom start"
      offset={4}
      maxHeight={MAX_HEIGHT_PX}
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <ListBox
        ref={list}
        id={listId}
        className={css.list ?? ''}
        aria-label={label}
        autoFocus
        shouldFocusWrap
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[keyOf(chosen)]}
      >
        {choices.map(({ id, name }) => (
          <ListBoxItem
            key={id}
            id={keyOf(id)}
            textValue={name}
            className={css.item ?? ''}
            // Not by a change of the selection: the chosen one closes the list, too.
            onPress={() => {
              onClose();
              if (id !== chosen) onChoose(id);
            }}
          >
            {name}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  );
}

/** The library treats an empty id as none. */
function keyOf(id: string): string {
  return `choice:${id}`;
}
