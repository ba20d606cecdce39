import type { ReactNode } from 'react';
import type { ReviewDetail } from '@offizin/contracts/review';
import { Chip } from '../controls/chip';
import { useFormats, useTexts } from '../text/texts';
import { Checks } from './checks';
import type { Hint } from './hints';
import { Lines } from './lines';
import { Marks } from './marks';
import styles from './review.module.css';
import { Versions } from './versions';

interface Props {
  detail: ReviewDetail;
  hints: readonly Hint[];
  canDecide: boolean;
}

/** Everything about one request but its document. */
export function Review({ detail, hints, canDecide }: Props) {
  const texts = useTexts().requests;
  const formats = useFormats();
  return (
    <div className={styles.body}>
      {detail.question !== null && <Notice title={texts.openQuestion}>{detail.question}</Notice>}
      {detail.status !== 'pending' && detail.status !== 'needs_clarification' && (
        <Notice title={texts.status[detail.status]}>
          {detail.reason !== null && texts.reason[detail.reason]} {detail.note}
        </Notice>
      )}
      <Section title={texts.checks}>
        <Checks hints={hints} />
      </Section>
      <Section title={texts.lines}>
        <Lines detail={detail} />
      </Section>
      <div className={styles.columns}>
        <Section title={texts.customer}>
          <Customer detail={detail} />
        </Section>
        <Section title={texts.delivery}>
          <Delivery detail={detail} />
        </Section>
      </div>
      <Section title={texts.marks}>
        <Marks detail={detail} canChange={canDecide} />
      </Section>
      {detail.version > 1 && (
        <Section title={texts.versions}>
          <Versions detail={detail} />
        </Section>
      )}
      <Section title={texts.history}>
        <ol className={styles.history}>
          {detail.history.map((entry) => (
            <li key={`${entry.at} ${entry.action}`}>
              <time dateTime={entry.at} title={formats.exact(entry.at)}>
                {formats.dateTime(entry.at)}
              </time>{' '}
              {texts.actions[entry.action] ?? entry.action} · {entry.who}
            </li>
          ))}
        </ol>
      </Section>
      <p className={styles.disclaimer}>{texts.disclaimer}</p>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.notice}>
      <strong>{title}</strong> {children}
    </div>
  );
}

function Customer({ detail: { payload, customer, customer_name } }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  const place = [textOf(payload.address_postal_code), textOf(payload.address_city)].filter(Boolean).join(' ');
  const rows = [
    customer_name ?? texts.nameless,
    textOf(payload.address_street),
    place,
    textOf(payload.customer_email),
    textOf(payload.address_phone),
  ];
  return (
    <>
      {rows.filter(Boolean).map((row) => (
        <div key={row} className={styles.address}>
          {row}
        </div>
      ))}
      <p className={styles.quiet}>{texts.earlier(customer)}</p>
    </>
  );
}

function Delivery({ detail: { payload, expires_at } }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  const formats = useFormats();
  const shipping = textOf(payload.shipping_option);
  const payment =
    textOf(payload.payment_status) || (payload.cash_on_pickup === false ? 'pending' : 'cash_on_pickup');
  return (
    <>
      <div className={styles.chips}>
        {shipping !== '' && <Chip>{shipping}</Chip>}
        <Chip>{texts.payment[payment] ?? payment}</Chip>
      </div>
      {expires_at !== null && (
        <p className={styles.quiet}>
          {texts.expires} {formats.date(expires_at)}
        </p>
      )}
    </>
  );
}

/** A text of the partner's payload; anything else than a text is not shown. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
