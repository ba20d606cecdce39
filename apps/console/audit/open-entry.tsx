import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../controls/button';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { EmptyState } from '../controls/empty-state';
import { useFormats } from '../text/texts';
import { wholeOf } from './audit-objects';
import type { AuditSearch } from './audit-search';
import { type Names, useAuditTexts, useEntryText } from './audit-texts';
import type { Entry } from './audit.calls';
import css from './open-entry.module.css';

interface Props {
  id: string;
  /** With the entry; empty when it is not in what is loaded, as after an old link. */
  openings: readonly Entry[];
  /** Shows the openings one by one, or as one row. */
  fold: { does: string; run: () => void };
  names: Names;
  onClose: () => void;
  onFilter: (change: Partial<AuditSearch>) => void;
}

/** One entry whole, and the way to all others of its person and its object. */
export function OpenEntry({ id, openings, fold, names, onClose, onFilter }: Props) {
  const texts = useAuditTexts();
  const formats = useFormats();
  const { who, what, which } = useEntryText(names);
  const entry = openings.find((opening) => opening.id === id);
  const pane = { label: texts.entry, back: texts.back, onClose };
  if (!entry)
    return (
      <DetailPane {...pane}>
        <EmptyState title={texts.notLoaded} />
      </DetailPane>
    );
  const { at, actor, action, object, request_id: requestId, position } = entry;
  return (
    <DetailPane {...pane} title={what(action)} facts={<p>{formats.dateTime(at)}</p>}>
      <DetailBody label={texts.entryRegion}>
        <DetailSection title={texts.column.who}>
          <Fact text={who(actor)} raw={actor}>
            <Button onPress={() => onFilter({ who: actor })}>
              {texts.ofActor(actor.split(':')[0] ?? '')}
            </Button>
          </Fact>
        </DetailSection>
        <DetailSection title={texts.column.object}>
          <Fact text={which(object)} raw={object}>
            <ToObject object={object} />
            <Button onPress={() => onFilter({ object: wholeOf(object) })}>{texts.ofObject}</Button>
          </Fact>
        </DetailSection>
        {openings.length > 1 && (
          <DetailSection
            title={texts.eachOpening}
            action={
              <Button shortcut="f" onPress={fold.run}>
                {fold.does}
              </Button>
            }
          >
            <ul className={css.openings}>
              {openings.map((opening) => (
                <li key={opening.id} title={formats.exact(opening.at)}>
                  {formats.dateTime(opening.at)}
                </li>
              ))}
            </ul>
          </DetailSection>
        )}
        <DetailSection title={texts.exact}>
          <dl className={css.exact}>
            <dt>{texts.column.at}</dt>
            <dd>{formats.exact(at)}</dd>
            <dt>{texts.action}</dt>
            <dd>{action}</dd>
            <dt>{texts.position}</dt>
            <dd>{formats.number(position)}</dd>
            <dt>{texts.request}</dt>
            <dd>{requestId}</dd>
          </dl>
        </DetailSection>
      </DetailBody>
    </DetailPane>
  );
}

function Fact({ text, raw, children }: { text: string; raw: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <p>{text}</p>
      {text !== raw && <p className={css.raw}>{raw}</p>}
      <div className={css.ways}>{children}</div>
    </div>
  );
}

const TO = {
  order: { to: '/orders', does: 'toOrder' },
  'order-request': { to: '/requests', does: 'toRequest' },
  prescription: { to: '/prescriptions', does: 'toPrescription' },
} as const;

function ToObject({ object }: { object: string }) {
  const texts = useAuditTexts();
  const [kind, id] = object.split(':');
  const link = Object.entries(TO).find(([name]) => name === kind)?.[1];
  return (
    link && (
      <Link to={link.to} search={{ id }}>
        {texts[link.does]}
      </Link>
    )
  );
}
