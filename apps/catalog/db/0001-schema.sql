-- The whole schema of catalog. docs/recipes.md#the-schema describes how to change it.
-- The entities beside this file describe the same tables; they say what each column means.

-- As searchFolded of libs/pg/search-words.ts. Under the C locale lower() knows only ASCII.
CREATE FUNCTION catalog.search_folded(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  replace(replace(replace(translate(
    CASE WHEN octet_length(given) = length(given) THEN lower(given)
         ELSE replace(replace(translate(lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g')),
           'ẞÆæŒœØøŁłĐđÐðĦħıÞАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЄΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩς',
           'ßaaoooollddddhhiþабвгдежзиклмнопрстуфхцчшщъыьэюяієαβγδεζηθικλμνξοπρστυφχψωσ'
         ), 'ß', 'ss'), 'þ', 'th') END,
    U&'\0009\000a\000b\000c\000d', '     '), 'ae', 'a'), 'oe', 'o'), 'ue', 'u');

-- The platform's products, the inventory of organizations, and the assortments of shops.

-- By which a scan finds a product: its PZN, and its GTINs; a GTIN that is made of a PZN (NTIN) counts as that PZN.
CREATE FUNCTION catalog.codes_that_count(pzn text, codes text[]) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  ARRAY(SELECT DISTINCT CASE WHEN length(code) = 14 AND code LIKE '04150%' THEN substr(code, 6, 8) ELSE code END
    FROM unnest(array_append(codes, pzn)) AS code WHERE code IS NOT NULL);

CREATE TABLE catalog.products (
  p1_id text NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  category text,
  price numeric(12,2) NOT NULL,
  thc double precision,
  cbd double precision,
  available boolean NOT NULL DEFAULT true,
  pzn text,
  codes text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT products_pkey PRIMARY KEY (p1_id),
  CONSTRAINT products_price CHECK (price >= 0),
  CONSTRAINT products_thc CHECK (thc BETWEEN 0 AND 100),
  CONSTRAINT products_cbd CHECK (cbd BETWEEN 0 AND 100)
);

CREATE TABLE catalog.inventory (
  org_id uuid NOT NULL,
  p1_id text NOT NULL,
  slug text NOT NULL,
  name text,
  description text,
  category text,
  price numeric(12,2),
  thc double precision,
  cbd double precision,
  available boolean,
  pzn text,
  codes text[],
  stock_quantity integer NOT NULL DEFAULT 0,
  reserved_quantity integer NOT NULL DEFAULT 0,
  low_stock_threshold integer NOT NULL DEFAULT 0,
  log_entries integer NOT NULL DEFAULT 0,
  event_sequence integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  shown_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT inventory_pkey PRIMARY KEY (org_id, p1_id),
  CONSTRAINT inventory_product FOREIGN KEY (p1_id) REFERENCES catalog.products (p1_id),
  CONSTRAINT inventory_price CHECK (price >= 0),
  CONSTRAINT inventory_thc CHECK (thc BETWEEN 0 AND 100),
  CONSTRAINT inventory_cbd CHECK (cbd BETWEEN 0 AND 100),
  CONSTRAINT inventory_threshold CHECK (low_stock_threshold >= 0),
  CONSTRAINT inventory_stock CHECK (reserved_quantity BETWEEN 0 AND stock_quantity)
);
CREATE UNIQUE INDEX inventory_slug ON catalog.inventory (org_id, slug);
-- For the codes that an import changes.
CREATE INDEX inventory_of_product ON catalog.inventory (p1_id);

-- Partners see a class, and the time at which it changed: a sale within one class leaves no trace.
CREATE FUNCTION catalog.stock_class(free integer, threshold integer) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN free <= 0 THEN 'none' WHEN free <= threshold THEN 'low' ELSE 'in_stock' END;
CREATE FUNCTION catalog.note_shown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.shown_at := clock_timestamp();
  RETURN NEW;
END
$$;
CREATE TRIGGER inventory_shown BEFORE UPDATE ON catalog.inventory FOR EACH ROW WHEN (
  catalog.stock_class(OLD.stock_quantity - OLD.reserved_quantity, OLD.low_stock_threshold)
    <> catalog.stock_class(NEW.stock_quantity - NEW.reserved_quantity, NEW.low_stock_threshold)
  OR (OLD.name, OLD.category, OLD.price, OLD.thc, OLD.cbd, OLD.available, OLD.pzn)
    IS DISTINCT FROM (NEW.name, NEW.category, NEW.price, NEW.thc, NEW.cbd, NEW.available, NEW.pzn)
) EXECUTE FUNCTION catalog.note_shown();

CREATE TABLE catalog.product_codes (
  org_id uuid NOT NULL,
  code text NOT NULL,
  p1_id text NOT NULL,
  waits boolean NOT NULL,
  CONSTRAINT product_codes_pkey PRIMARY KEY (org_id, code, p1_id),
  CONSTRAINT product_codes_item_fkey FOREIGN KEY (org_id, p1_id) REFERENCES catalog.inventory (org_id, p1_id)
);
CREATE UNIQUE INDEX product_codes_owner ON catalog.product_codes (org_id, code) WHERE NOT waits;
CREATE INDEX product_codes_item ON catalog.product_codes (p1_id, org_id);

CREATE TABLE catalog.shop_products (
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  p1_id text NOT NULL,
  attached boolean NOT NULL,
  overrides jsonb NOT NULL DEFAULT '{}',
  event_sequence integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT shop_products_pkey PRIMARY KEY (org_id, shop_id, p1_id),
  CONSTRAINT shop_products_item FOREIGN KEY (org_id, p1_id) REFERENCES catalog.inventory (org_id, p1_id)
);
CREATE INDEX shop_products_attached ON catalog.shop_products (org_id, shop_id, p1_id) WHERE attached;

-- The stock log, reservations with their lines, and the inbox of order events.

CREATE TABLE catalog.stock_log (
  id uuid NOT NULL,
  org_id uuid NOT NULL,
  p1_id text NOT NULL,
  entry_number integer NOT NULL,
  delta integer NOT NULL,
  stock_after integer NOT NULL,
  reason text NOT NULL,
  note text,
  reference text,
  order_id uuid,
  actor text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT stock_log_pkey PRIMARY KEY (id),
  CONSTRAINT stock_log_item FOREIGN KEY (org_id, p1_id) REFERENCES catalog.inventory (org_id, p1_id),
  CONSTRAINT stock_log_after CHECK (stock_after >= 0)
);
CREATE UNIQUE INDEX stock_log_entry ON catalog.stock_log (org_id, p1_id, entry_number);
CREATE UNIQUE INDEX stock_log_reference ON catalog.stock_log (org_id, p1_id, reference)
  WHERE reference IS NOT NULL;

CREATE TABLE catalog.reservations (
  order_request_id uuid NOT NULL,
  org_id uuid NOT NULL,
  attempt integer NOT NULL,
  state text NOT NULL,
  order_id uuid,
  replaces uuid,
  asked_lines text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT reservations_pkey PRIMARY KEY (order_request_id),
  CONSTRAINT reservations_state CHECK (state IN ('held', 'confirmed', 'released', 'sold', 'replaced'))
);
CREATE INDEX reservations_held ON catalog.reservations (expires_at) WHERE state = 'held';
CREATE INDEX reservations_order ON catalog.reservations (order_id) WHERE order_id IS NOT NULL;

CREATE TABLE catalog.reservation_lines (
  order_request_id uuid NOT NULL,
  p1_id text NOT NULL,
  org_id uuid NOT NULL,
  quantity integer NOT NULL,
  CONSTRAINT reservation_lines_pkey PRIMARY KEY (order_request_id, p1_id),
  CONSTRAINT reservation_lines_reservation FOREIGN KEY (order_request_id)
    REFERENCES catalog.reservations (order_request_id) ON DELETE CASCADE,
  CONSTRAINT reservation_lines_item_fkey FOREIGN KEY (org_id, p1_id) REFERENCES catalog.inventory (org_id, p1_id),
  CONSTRAINT reservation_lines_quantity CHECK (quantity > 0)
);
CREATE INDEX reservation_lines_item ON catalog.reservation_lines (org_id, p1_id);

CREATE TABLE catalog.inbox (
  event_id uuid NOT NULL,
  sequence integer NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT inbox_pkey PRIMARY KEY (event_id)
);
CREATE INDEX inbox_received ON catalog.inbox (received_at);

-- Bus: events to send, messages that cannot be processed, idempotency keys (libs/events, libs/idempotency).

CREATE TABLE catalog.outbox (
  id uuid NOT NULL,
  position bigserial NOT NULL,
  org_id uuid NOT NULL,
  event_type text NOT NULL,
  aggregate_id text NOT NULL,
  sequence integer NOT NULL,
  topic text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz,
  traceparent text,
  integration_id uuid,
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_unpublished ON catalog.outbox (position) WHERE published_at IS NULL;

CREATE TABLE catalog.set_aside (
  id text CONSTRAINT set_aside_pkey PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  event_id uuid,
  reason text NOT NULL,
  content bytea NOT NULL,
  set_aside_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX set_aside_event ON catalog.set_aside (event_id) WHERE event_id IS NOT NULL;

CREATE TABLE catalog.idempotency_keys (
  org_id uuid NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status text NOT NULL,
  lease_token uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  answer_status integer,
  answer_headers jsonb,
  answer_ciphertext bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  object_id uuid,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, key)
);
CREATE INDEX idempotency_keys_created ON catalog.idempotency_keys (created_at);
-- For erasures.
CREATE INDEX idempotency_keys_object ON catalog.idempotency_keys (object_id) WHERE object_id IS NOT NULL;
