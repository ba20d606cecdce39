import { useMemo } from 'react';
import { Dialog } from '../controls/dialog';
import { Key } from '../controls/key';
import { useKeyPolicy } from '../controls/key-policy';
import { useTexts } from '../text/texts';
import type { KeyLayer } from '../keyboard/key-choice';
import css from './key-list.module.css';
import { keys } from '../keyboard/keys';
import { useSearchTexts } from './search-texts';

const GROUPS: readonly KeyLayer[] = ['page', 'shell'];

/** `?`: every key that acts on this page. */
export default function KeyList({ onClose }: { onClose: () => void }) {
  const { shell } = useTexts();
  const texts = useSearchTexts();
  const policy = useKeyPolicy();
  // As they were when the list was opened.
  const bindings = useMemo(() => keys.bindings().filter(({ hidden }) => !hidden), []);
  return (
    <Dialog title={shell.keysTitle} onClose={onClose}>
      {policy === 'on' ? null : <p>{policy === 'off' ? texts.keysOff : texts.keysWithAlt}</p>}
      {GROUPS.map((layer) => {
        const group = bindings.filter((binding) => binding.layer === layer);
        if (group.length === 0) return null;
        return (
          <section key={layer}>
            <h3 className={css.group}>{texts.groups[layer]}</h3>
            <dl className={css.list}>
              {group.map((binding) => (
                <div key={binding.keys} className={css.row}>
                  <dt>
                    {binding.keys.split(' ').map((name) => (
                      <Key key={name} name={name} />
                    ))}
                  </dt>
                  <dd>{binding.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        );
      })}
    </Dialog>
  );
}
