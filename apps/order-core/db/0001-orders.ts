import { timeJson } from './0001-stored-time';

/** Text as libs/pg/list-page.ts folds it. A copy, because the indexes must not change with that file. */
const folded = (expression: string): string =>
  `translate(lower(${expression}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;

/** text_pattern_ops: LIKE with a prefix uses the index under every collation of the database. */
const searchedBy = (column: string): string =>
  `(org_id, (${folded(column)}) text_pattern_ops) WHERE ${column} IS NOT NULL`;

/** One expression without a query: PL/pgSQL evaluates it without running a plan. */
const SUMMARY = `'{"id":"' || NEW.id || '","external_id":' || to_json(NEW.external_id)
  || ',"status":"' || NEW.status || '","shop_id":"' || NEW.shop_id
  || '","customer_name":' || coalesce(to_json(NEW.customer_name)::text, 'null')
  || ',"total_amount":' || trim_scale(NEW.total_amount) || ',"payment_status":"' || NEW.payment_status
  || '","created_at":' || ${timeJson('NEW.created_at')} || 'Z","updated_at":' || ${timeJson('NEW.updated_at')} || 'Z"}'`;

export const ORDERS = [
  `CREATE TABLE core.orders (
    id uuid CONSTRAINT orders_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    external_id text NOT NULL,
    order_number text,
    order_datetime timestamptz,
    customer_name text,
    customer_email text,
    address_street text,
    address_city text,
    address_postal_code text,
    address_phone text,
    total_amount numeric(12,2) NOT NULL,
    total_is_given boolean NOT NULL,
    payment_status text NOT NULL,
    payment_reference text,
    shipping_option text,
    shipped boolean NOT NULL DEFAULT false,
    picked_up boolean NOT NULL DEFAULT false,
    cash_on_pickup boolean NOT NULL DEFAULT false,
    status text NOT NULL,
    items jsonb NOT NULL,
    order_request_id uuid,
    sequence integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    payment_change jsonb,
    stock_claim_id uuid,
    summary text NOT NULL,
    CONSTRAINT orders_shop_external UNIQUE (shop_id, external_id),
    CONSTRAINT orders_amount CHECK (total_amount >= 0)
  )`,
  `CREATE TABLE core.order_history (
    order_id uuid NOT NULL,
    sequence integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    fields jsonb NOT NULL,
    CONSTRAINT order_history_pkey PRIMARY KEY (order_id, sequence)
  )`,
  `CREATE TABLE core.stock_claims (
    id uuid CONSTRAINT stock_claims_pkey PRIMARY KEY,
    order_id uuid,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,

  // One index per filter and sort order of the list, and one per column that `q` searches.
  `CREATE INDEX orders_org_created ON core.orders (org_id, created_at, id)`,
  `CREATE INDEX orders_org_updated ON core.orders (org_id, updated_at, id)`,
  `CREATE INDEX orders_org_status_created ON core.orders (org_id, status, created_at, id)`,
  `CREATE INDEX orders_org_shop_created ON core.orders (org_id, shop_id, created_at, id)`,
  `CREATE INDEX orders_org_shop_status_created ON core.orders (org_id, shop_id, status, created_at, id)`,
  `CREATE INDEX orders_org_payment_created ON core.orders (org_id, payment_status, created_at, id)`,
  `CREATE INDEX orders_search_name ON core.orders ${searchedBy('customer_name')}`,
  `CREATE INDEX orders_search_email ON core.orders ${searchedBy('customer_email')}`,
  `CREATE INDEX orders_search_number ON core.orders ${searchedBy('order_number')}`,
  `CREATE INDEX orders_search_external ON core.orders ${searchedBy('external_id')}`,
  // For erasures: finds e-mail addresses that an order had earlier.
  `CREATE INDEX order_history_customer_email ON core.order_history ((${folded("(fields ->> 'customer_email')")}))
     WHERE fields ->> 'customer_email' IS NOT NULL`,

  // Times are ISO 8601 in UTC with milliseconds.
  `CREATE FUNCTION core.iso(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN
     to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,

  // The JSON text of an order in the list. A trigger writes it, so that it is correct after every writer: each version
  // of a roll-out, an erasure, a restore, a statement in psql.
  `CREATE FUNCTION core.summarize_order() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     NEW.summary := ${SUMMARY};
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER order_summary BEFORE INSERT OR UPDATE ON core.orders
     FOR EACH ROW EXECUTE FUNCTION core.summarize_order()`,
];
