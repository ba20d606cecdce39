import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type {
  CustomerFacts,
  CustomerOrder,
  CustomerRecord,
  CustomerRequest,
  CustomerResponse,
} from '@offizin/contracts/console/customer';
import { ApiError } from '../calls/api';
import { Button } from '../controls/button';
import { Chip } from '../controls/chip';
import { EmptyState } from '../controls/empty-state';
import figureCss from '../controls/figure.module.css';
import { PageHead } from '../controls/page-head';
import { Fault } from '../messages/fault';
import { useOrderTexts } from '../orders/orders/order-texts';
import { toneOfStatus } from '../orders/orders/tones';
import { documentName } from '../requests/review/documents';
import { tabOf } from '../requests/review/filters';
import Remarks from '../requests/hints/remarks';
import { readableName, readableOf } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import { useCustomerTexts } from './customer-texts';
import { customerRecords } from './customer.calls';
import css from './customer.module.css';

const route = getRouteApi('/inside/customer');

/** One person: contact, figures, remarks and notes, and one time line of requests and orders. */
export default function CustomerPage() {
  const texts = useCustomerTexts();
  const { requests: words } = useTexts();
  const list = useInfiniteQuery(customerRecords(route.useSearch()));
  const { data, isLoadingError, error, refetch } = list;
  if (error instanceof ApiError && error.code === 'not_found')
    return (
      <EmptyState isPage title={texts.gone} hint={texts.goneHint}>
        <Link to="/orders">{texts.toOrders}</Link>
      </EmptyState>
    );
  if (isLoadingError) return <Fault error={error} onAgain={() => void refetch()} />;
  const first = data?.pages[0];
  if (!first) return null;
  const records = data.pages.flatMap((page) => page.data);
  const { customer_email: email, customer_name: name, facts } = first;
  return (
    <div className={css.page}>
      <PageHead title={readableName(name) ?? words.nameless} about={email ?? texts.byName} />
      <div className={css.body}>
        {facts && <Facts counts={first} facts={facts} name={name} />}
        <Section title={texts.timeLine}>
          {records.length === 0 ? (
            <EmptyState title={texts.noRecords} hint={texts.noRecordsHint} />
          ) : (
            <ol className={css.records}>
              {records.map((record) => (
                <Row key={record.id} record={record} name={name} />
              ))}
            </ol>
          )}
          {list.hasNextPage && (
            <div>
              <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
                {texts.more}
              </Button>
            </div>
          )}
        </Section>
      </div>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.section} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type Counts = Pick<CustomerResponse, 'requests' | 'rejected' | 'orders'>;

interface FactsProps {
  counts: Counts;
  /** Of all records, also of those that are not loaded. */
  facts: CustomerFacts;
  /** In the head of the page. */
  name: string | null;
}

/** Beside the time line. A role that reads no requests has no figures of them. */
function Facts({ counts, facts, name }: FactsProps) {
  const texts = useCustomerTexts();
  const formats = useFormats();
  const { names, phones, addresses, remarks, notes, left_out: leftOut, unread } = facts;
  return (
    <div className={css.facts}>
      <dl className={css.counts}>
        {(['requests', 'rejected', 'orders'] as const).map((counted) => {
          const count = counts[counted];
          return (
            count !== null && (
              <div key={counted}>
                <dt>{texts[counted](count)}</dt>
                <dd>{formats.number(count)}</dd>
              </div>
            )
          );
        })}
      </dl>
      {unread > 0 && <p className={css.unread}>{texts.unread(unread, formats.number(unread))}</p>}
      {remarks.length > 0 && (
        <div>
          <Remarks remarks={remarks} />
          <LeftOut count={leftOut.remarks} />
        </div>
      )}
      {names.some((used) => used !== name) && (
        <Section title={texts.names}>
          <Lines of={names} leftOut={leftOut.names} />
        </Section>
      )}
      <Section title={texts.addresses}>
        {addresses.length === 0 && <p className={css.quiet}>{texts.noAddress}</p>}
        <Lines of={addresses} leftOut={leftOut.addresses} />
      </Section>
      {phones.length > 0 && (
        <Section title={texts.phones}>
          <Lines of={phones} leftOut={leftOut.phones} />
        </Section>
      )}
      {notes.length > 0 && (
        <Section title={texts.notes}>
          <Lines of={notes} leftOut={leftOut.notes} />
        </Section>
      )}
    </div>
  );
}

function Lines({ of, leftOut }: { of: readonly string[]; leftOut: number }) {
  return (
    <>
      <ul>
        {of.map((line) => (
          <li key={line}>
            <bdi>{line}</bdi>
          </li>
        ))}
      </ul>
      <LeftOut count={leftOut} />
    </>
  );
}

function LeftOut({ count }: { count: number }) {
  const texts = useCustomerTexts();
  const formats = useFormats();
  return count > 0 && <p className={css.quiet}>{texts.leftOut(formats.number(count))}</p>;
}

interface RowProps {
  record: CustomerRecord;
  /** In the head of the page. */
  name: string | null;
}

function Row({ record, name }: RowProps) {
  const texts = useCustomerTexts();
  const formats = useFormats();
  const { created_at: at, customer_name: named, lines_text, total_amount, notes, request, order } = record;
  return (
    <li className={css.record}>
      <time className={css.at} dateTime={at} title={formats.exact(at)}>
        {formats.dateTime(at)}
      </time>
      <div className={css.name}>
        {request && <RequestName id={record.id} request={request} />}
        {order && <OrderName id={record.id} order={order} />}
        {named !== null && named !== name && <bdi className={css.quiet}>{readableName(named)}</bdi>}
      </div>
      <strong className={figureCss.figure}>{formats.money(total_amount)}</strong>
      <div className={css.details}>
        <bdi>{readableOf(lines_text)}</bdi>
        {request && <RequestDetails request={request} />}
        {notes.map((note) => (
          <p key={note}>{texts.note(note)}</p>
        ))}
      </div>
    </li>
  );
}

function RequestName({
  id,
  request: { status, reason, decided_at: decidedAt },
}: {
  id: string;
  request: CustomerRequest;
}) {
  const texts = useCustomerTexts();
  const { requests: words } = useTexts();
  const formats = useFormats();
  return (
    <>
      <Link to="/requests" search={{ ...tabOf(status), id }}>
        {texts.request}
      </Link>
      <Chip tone={status === 'rejected' ? 'danger' : 'plain'}>{words.status[status]}</Chip>
      <span className={css.quiet}>
        {[reason && words.reason[reason], decidedAt && formats.dateTime(decidedAt)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  );
}

/** Prescriber, documents, what the partner and the pharmacy wrote. */
function RequestDetails({ request }: { request: CustomerRequest }) {
  const texts = useCustomerTexts();
  const { requests: words } = useTexts();
  const { prescriber, documents, messages, remarks } = request;
  return (
    <div className={css.quiet}>
      {prescriber !== null && <p>{texts.prescriber(readableOf(prescriber))}</p>}
      {documents.length > 0 && <p>{documents.map((document) => documentName(document, words)).join(', ')}</p>}
      {messages.map((message, index) => (
        <p key={index}>{texts.message(message)}</p>
      ))}
      {remarks.length > 0 && <Remarks remarks={remarks} isInText />}
    </div>
  );
}

/** Of an order whose request had no reference: it says nothing to a reader. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function OrderName({
  id,
  order: { status, order_number, external_id },
}: {
  id: string;
  order: CustomerOrder;
}) {
  const texts = useCustomerTexts();
  const words = useOrderTexts();
  return (
    <>
      <Link to="/orders" search={{ id }}>
        {texts.order(order_number ?? (ID.test(external_id) ? null : external_id))}
      </Link>
      <Chip tone={toneOfStatus(status)}>{words.status[status]}</Chip>
    </>
  );
}
