import { Link } from '@tanstack/react-router';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { readableOf } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { tabOf } from './filters';
import css from './review.module.css';
import { usePlanTexts } from './plan-texts';

/** Where the hints lead: requests with the same document, the order or request that the reference names, all of the customer. */
export function Earlier({ detail }: { detail: ReviewDetail }) {
  const { id, checks, reference_order: other } = detail;
  const last = detail.customer.last_order;
  const { requests: texts } = useTexts();
  const { compareDuplicate, lastOrder, orderOfReference, requestOfReference, usedAt } = usePlanTexts();
  const formats = useFormats();
  return (
    <ul className={css.checks}>
      {last && (
        <li>
          <Link to="/orders" search={{ id: last.id }}>
            {lastOrder(readableOf(last.lines_text), formats.age(last.created_at))}
          </Link>
        </li>
      )}
      {checks.used_before.map(({ order_request_id: earlier, status, created_at }) => (
        <li key={earlier}>
          <Link to="/requests" search={{ ...tabOf(status), id: earlier }}>
            {usedAt(formats.dateTime(created_at), texts.status[status])}
          </Link>
        </li>
      ))}
      {other && (
        <li>
          {other.order_id === null ? (
            <Link to="/requests" search={{ ...tabOf(other.status), id: other.order_request_id }}>
              {requestOfReference}
            </Link>
          ) : (
            <Link to="/orders" search={{ id: other.order_id }}>
              {orderOfReference}
            </Link>
          )}
        </li>
      )}
      {checks.duplicate_suspect && (
        <li>
          <Link to="/customer" search={{ request: id }}>
            {compareDuplicate}
          </Link>
        </li>
      )}
    </ul>
  );
}
