import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CustomerOrder, CustomerRequest } from '@offizin/contracts/console/customer';
import { call } from '../calls/api';
import { Chip } from '../controls/chip';
import { Fault } from '../messages/fault';
import { useOrderTexts } from '../orders/orders/order-texts';
import { toneOfStatus } from '../orders/orders/tones';
import { tabOf } from '../requests/review/filters';
import { useSession } from '../session/session.calls';
import { readableName } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import { useCustomerTexts } from './customer-texts';
import type { CustomerSearch } from './customer-search';
import css from './customer.module.css';

const route = getRouteApi('/inside/customer');

/** Requests, orders, rejections and notes of one person. */
export default function CustomerPage() {
  const texts = useCustomerTexts();
  const { requests: words } = useTexts();
  const { scopes } = useSession();
  const { data, error, refetch } = useQuery(customerQuery(route.useSearch()));
  if (error) return <Fault error={error} onAgain={() => void refetch()} />;
  if (!data) return null;
  const { customer_name, customer_email: email, requests, orders, rejected } = data;
  return (
    <div className={css.page}>
      <h1>{readableName(customer_name) ?? words.nameless}</h1>
      <p className={css.quiet}>{email ?? texts.byName}</p>
      {scopes.includes('order_requests.read') && (
        <Records title={texts.requests(requests.length, rejected)} isEmpty={requests.length === 0}>
          {requests.map((request) => (
            <RequestRecord key={request.id} request={request} />
          ))}
        </Records>
      )}
      <Records title={texts.orders(orders.length)} isEmpty={orders.length === 0}>
        {orders.map((order) => (
          <OrderRecord key={order.id} order={order} />
        ))}
      </Records>
    </div>
  );
}

function Records({ title, isEmpty, children }: { title: string; isEmpty: boolean; children: ReactNode }) {
  const texts = useCustomerTexts();
  return (
    <section className={css.section}>
      <h2>{title}</h2>
      {isEmpty ? <p className={css.quiet}>{texts.none}</p> : <ul className={css.records}>{children}</ul>}
    </section>
  );
}

function RequestRecord({ request }: { request: CustomerRequest }) {
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const { id, status, reason } = request;
  return (
    <Row
      record={request}
      link={
        <Link to="/requests" search={{ ...tabOf(status), id }}>
          {formats.dateTime(request.created_at)}
        </Link>
      }
    >
      <Chip tone={status === 'rejected' ? 'danger' : 'plain'}>{texts.status[status]}</Chip>{' '}
      {reason !== null && texts.reason[reason]}
    </Row>
  );
}

function OrderRecord({ order }: { order: CustomerOrder }) {
  const texts = useOrderTexts();
  const formats = useFormats();
  return (
    <Row
      record={order}
      link={
        <Link to="/orders" search={{ id: order.id }}>
          {formats.dateTime(order.created_at)}
        </Link>
      }
    >
      <Chip tone={toneOfStatus(order.status)}>{texts.status[order.status]}</Chip>{' '}
      {order.order_number ?? order.external_id}
    </Row>
  );
}

interface RowProps {
  record: CustomerRequest | CustomerOrder;
  link: ReactNode;
  children: ReactNode;
}

function Row({ record: { lines_text, total_amount, notes }, link, children }: RowProps) {
  const texts = useCustomerTexts();
  const formats = useFormats();
  return (
    <li className={css.record}>
      {link} {children}
      <strong className={css.total}>{formats.money(total_amount)}</strong>
      <div className={css.details}>
        {lines_text}
        {notes.map((note) => (
          <p key={note}>{texts.note(note)}</p>
        ))}
      </div>
    </li>
  );
}

/** Below 'requests': what changes a request makes it stale. */
function customerQuery({ request, order }: CustomerSearch) {
  const query = order === undefined ? { request_id: request ?? '-' } : { order_id: order };
  return queryOptions({
    queryKey: ['requests', 'customer', query],
    queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/customer', { query, signal }),
  });
}
