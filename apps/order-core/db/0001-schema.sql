-- The whole schema of order-core. docs/recipes.md#the-schema describes how to change it.
-- The entities beside this file describe the same tables; they say what each column means.
--
-- Order: directory, staff, orders, order requests, review, prescriptions, audit, reports and counters, bus.

-- Directory: organizations, their shops and keys.

CREATE TABLE core.organizations (
  id uuid CONSTRAINT organizations_pkey PRIMARY KEY,
  name text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  workflow_mode text NOT NULL DEFAULT 'default',
  workflow jsonb,
  closed_orders text NOT NULL DEFAULT 'refuse',
  stock_follows_orders boolean NOT NULL DEFAULT false,
  second_factor_roles text[] NOT NULL DEFAULT '{}'
);

CREATE TABLE core.shops (
  id uuid CONSTRAINT shops_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  name text NOT NULL,
  domain text NOT NULL CONSTRAINT shops_domain UNIQUE,
  is_active boolean NOT NULL DEFAULT true,
  is_test boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX shops_org ON core.shops (org_id);

CREATE TABLE core.api_keys (
  id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  hash text NOT NULL CONSTRAINT api_keys_hash UNIQUE,
  scopes text[] NOT NULL,
  shop_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  replaced_by uuid,
  first_key_id uuid,
  reads_assortment boolean NOT NULL DEFAULT true
);
CREATE INDEX api_keys_org ON core.api_keys (org_id);

CREATE TABLE core.data_keys (
  org_id uuid CONSTRAINT data_keys_pkey PRIMARY KEY,
  wrapped_key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Staff: people, their sessions, second factors, single sign-on and saved views.

CREATE TABLE core.staff (
  id uuid CONSTRAINT staff_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  email text NOT NULL CONSTRAINT staff_email_lower CHECK (email = lower(email)),
  name text NOT NULL,
  role text NOT NULL,
  password_hash text,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  language text NOT NULL DEFAULT 'de',
  time_zone text NOT NULL DEFAULT 'Europe/Berlin',
  theme text NOT NULL DEFAULT 'system',
  undo_seconds integer NOT NULL DEFAULT 5,
  single_keys text NOT NULL DEFAULT 'on',
  order_columns text[] NOT NULL DEFAULT '{}',
  hides_first_steps boolean NOT NULL DEFAULT false,
  CONSTRAINT staff_email UNIQUE (email, org_id)
);
CREATE INDEX staff_org ON core.staff (org_id);

CREATE TABLE core.staff_sessions (
  id uuid CONSTRAINT staff_sessions_pkey PRIMARY KEY,
  staff_id uuid NOT NULL,
  org_id uuid NOT NULL,
  hash text NOT NULL CONSTRAINT staff_sessions_hash UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz NOT NULL,
  idle_seconds integer NOT NULL,
  ended_at timestamptz,
  made_by text NOT NULL DEFAULT 'password'
);
CREATE INDEX staff_sessions_staff ON core.staff_sessions (staff_id);

-- The one definition of a live session. A function, because statements on orders are faster to plan without the joins.
CREATE FUNCTION core.session_is_live(session_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM core.staff_sessions s
      JOIN core.staff p ON p.id = s.staff_id AND p.is_active
      JOIN core.organizations g ON g.id = s.org_id AND g.is_active
    WHERE s.id = session_id AND s.ended_at IS NULL AND s.ends_at > now()
      AND s.last_used_at > now() - make_interval(secs => s.idle_seconds))
$$;

CREATE TABLE core.staff_links (
  staff_id uuid CONSTRAINT staff_links_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  kind text NOT NULL,
  hash text NOT NULL CONSTRAINT staff_links_hash UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

-- Also for unknown e-mail addresses: otherwise a lock would reveal which ones exist.
CREATE TABLE core.staff_lockouts (
  email_hash text CONSTRAINT staff_lockouts_pkey PRIMARY KEY,
  failures integer NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  locked_until timestamptz
);

CREATE TABLE core.staff_totp (
  staff_id uuid CONSTRAINT staff_totp_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  secret bytea NOT NULL,
  last_step integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz
);

-- A new authenticator app. The one in staff_totp counts until the first code of the new one.
CREATE TABLE core.staff_totp_set_ups (
  staff_id uuid CONSTRAINT staff_totp_set_ups_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  secret bytea NOT NULL,
  recovery_hashes bytea[] NOT NULL
);

CREATE TABLE core.staff_recovery_codes (
  staff_id uuid NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT staff_recovery_codes_pkey PRIMARY KEY (staff_id, hash)
);

CREATE TABLE core.staff_passkeys (
  id uuid CONSTRAINT staff_passkeys_pkey PRIMARY KEY,
  staff_id uuid NOT NULL,
  org_id uuid NOT NULL,
  credential_id text NOT NULL CONSTRAINT staff_passkeys_credential UNIQUE,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX staff_passkeys_staff ON core.staff_passkeys (staff_id);

CREATE FUNCTION core.has_second_factor(person uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM core.staff_totp t WHERE t.staff_id = person AND t.confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM core.staff_passkeys k WHERE k.staff_id = person)
$$;

-- Sign-ins that wait for a second factor.
CREATE TABLE core.staff_sign_ins (
  hash text CONSTRAINT staff_sign_ins_pkey PRIMARY KEY,
  staff_id uuid NOT NULL,
  org_id uuid NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX staff_sign_ins_staff ON core.staff_sign_ins (staff_id);

CREATE TABLE core.staff_challenges (
  owner text NOT NULL,
  purpose text NOT NULL,
  challenge text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT staff_challenges_pkey PRIMARY KEY (owner, purpose)
);

-- Single sign-on at the provider of an organization (decision 0049).
CREATE TABLE core.sign_on_providers (
  org_id uuid CONSTRAINT sign_on_providers_pkey PRIMARY KEY,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret bytea NOT NULL,
  version integer NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE core.staff_sign_ons (
  hash text CONSTRAINT staff_sign_ons_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  return_to text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE core.saved_views (
  id uuid CONSTRAINT saved_views_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  staff_id uuid,
  screen text NOT NULL,
  name text NOT NULL,
  query jsonb NOT NULL,
  columns text[] NOT NULL,
  version integer NOT NULL DEFAULT 1,
  changed_at timestamptz NOT NULL DEFAULT now()
);
-- Names are unique as `folded` of libs/pg/list-page.ts folds them, as in the search indexes of orders.
CREATE UNIQUE INDEX saved_views_own ON core.saved_views
  (org_id, staff_id, screen, translate(lower(name), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž'))
  WHERE staff_id IS NOT NULL;
CREATE UNIQUE INDEX saved_views_shared ON core.saved_views
  (org_id, screen, translate(lower(name), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž'))
  WHERE staff_id IS NULL;

-- Orders.

CREATE TABLE core.orders (
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
  event_change jsonb,
  stock_claim_id uuid,
  stock text,
  unpaid_since timestamptz,
  summary text NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}',
  is_test boolean NOT NULL DEFAULT false,
  erased_at timestamptz,
  parcels jsonb NOT NULL DEFAULT '[]',
  has_lots boolean NOT NULL DEFAULT false,
  -- Of its request.
  integration_id uuid,
  CONSTRAINT orders_shop_external UNIQUE (shop_id, external_id),
  CONSTRAINT orders_amount CHECK (total_amount >= 0),
  CONSTRAINT orders_stock CHECK (stock IN ('reserved', 'sold', 'released'))
);

-- One index per filter and sort order of the list.
CREATE INDEX orders_org_created ON core.orders (org_id, created_at, id);
CREATE INDEX orders_org_updated ON core.orders (org_id, updated_at, id);
CREATE INDEX orders_org_status_created ON core.orders (org_id, status, created_at, id);
CREATE INDEX orders_org_shop_created ON core.orders (org_id, shop_id, created_at, id);
CREATE INDEX orders_org_shop_status_created ON core.orders (org_id, shop_id, status, created_at, id);
CREATE INDEX orders_org_payment_created ON core.orders (org_id, payment_status, created_at, id);
CREATE INDEX orders_unpaid ON core.orders (org_id, unpaid_since) WHERE unpaid_since IS NOT NULL;
CREATE INDEX orders_test_created ON core.orders (created_at) WHERE is_test;
-- With order_requests_own: the requests of an integration, oldest change first (requests/intake/own-requests.store.ts).
CREATE INDEX orders_own ON core.orders (shop_id, integration_id, updated_at, order_request_id)
  WHERE integration_id IS NOT NULL;

-- For erasures, folded as by libs/pg/list-page.ts.
CREATE INDEX orders_search_email ON core.orders
  (org_id, translate(lower(customer_email), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž') text_pattern_ops)
  WHERE customer_email IS NOT NULL;

-- As searchFolded of libs/pg/search-words.ts. Under the C locale lower() knows only ASCII. The usual letters go first: translate()
-- with all letters takes 0.1 ms.
CREATE FUNCTION core.search_folded(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF octet_length(given) <> length(given) THEN
    given := replace(translate(given, 'äöüéèÄÖÜ', 'aoueeAOU'), 'ß', 'ss');
  END IF;
  IF octet_length(given) <> length(given) THEN
    given := replace(replace(translate(lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g')),
      'ẞÆæŒœØøŁłĐđÐðĦħıÞАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЄΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩς',
      'ßaaoooollddddhhiþабвгдежзиклмнопрстуфхцчшщъыьэюяієαβγδεζηθικλμνξοπρστυφχψωσ'), 'ß', 'ss'), 'þ', 'th');
  END IF;
  RETURN replace(replace(replace(translate(lower(given), E'\t\n\u000b\f\r', '     '), 'ae', 'a'), 'oe', 'o'), 'ue', 'u');
END $$;

-- What `q` searches: words of `named` and `number`, the ends of the latter, and `wholes`. Each word begins with `scope`, the
-- end of its organization's id.
CREATE FUNCTION core.words_of(scope text, named text, wholes text, number text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  parts text := translate(concat_ws(' ', left(named, 4000), number), ',;.()+-/=":*#!?[]{}<>|', repeat(' ', 22));
  -- The last word of the number.
  ending text := CASE WHEN number <> '' THEN split_part(parts, ' ', -1) END;
  given text := concat_ws(' ', parts, right(ending, 6), right(ending, 5), right(ending, 4), right(ending, 3), wholes);
  words text := core.search_folded(given);
BEGIN
  -- A lexeme has at most 2,046 bytes.
  IF octet_length(words) > 1900 THEN
    words := regexp_replace(words, '([^ ]{60})[^ ]+', '\1', 'g');
  END IF;
  RETURN array_to_tsvector(array_remove(string_to_array(scope || replace(words, ' ', ' ' || scope), ' '), scope));
END $$;

-- Times are ISO 8601 in UTC with milliseconds.
CREATE FUNCTION core.iso(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN
  to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The JSON text of an order in the list. A trigger writes it, so that it is correct after every writer:
-- each version of a roll-out, an erasure, a restore, a statement in psql. One expression without a query: PL/pgSQL
-- evaluates it without running a plan. Times are written as by libs/pg/json-text.ts.
CREATE FUNCTION core.summarize_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.summary := '{"id":"' || NEW.id || '","external_id":' || to_json(NEW.external_id)
    || ',"status":"' || NEW.status || '","shop_id":"' || NEW.shop_id
    || '","customer_name":' || coalesce(to_json(NEW.customer_name)::text, 'null')
    || ',"total_amount":' || trim_scale(NEW.total_amount) || ',"payment_status":"' || NEW.payment_status
    || '","created_at":' || to_json(date_trunc('milliseconds', NEW.created_at AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)
    || 'Z","updated_at":' || to_json(date_trunc('milliseconds', NEW.updated_at AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)
    || 'Z","erased_at":' || coalesce(to_json(date_trunc('milliseconds', NEW.erased_at AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)
      || 'Z"', 'null')
    || CASE WHEN NEW.is_test THEN ',"test":true}' ELSE '}' END;
  RETURN NEW;
END $$;
CREATE TRIGGER order_summary BEFORE INSERT OR UPDATE ON core.orders
  FOR EACH ROW EXECUTE FUNCTION core.summarize_order();

-- The words of each order, apart from it: most changes of an order change none of them. Null until a step writes them, in
-- requests/search/order-words.store.ts, so that an upsert does not pay for the index; a search reads the order itself until then.
CREATE TABLE core.order_words (
  id uuid CONSTRAINT order_words_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  words tsvector
);
CREATE INDEX order_words_words ON core.order_words USING gin (words) WHERE words IS NOT NULL;
CREATE INDEX order_words_due ON core.order_words (org_id, id) WHERE words IS NULL;
CREATE FUNCTION core.words_of_order(o core.orders) RETURNS tsvector LANGUAGE sql STABLE RETURN
  core.words_of(right(o.org_id::text, 8),
    concat_ws(' ', o.customer_name, translate(jsonb_path_query_array(o.items, '$[*].name ? (@ != null)')::text, '[]"\', '    ')),
    concat_ws(' ', o.customer_email, CASE WHEN o.order_number IS NOT NULL THEN o.external_id END),
    coalesce(o.order_number, o.external_id));
-- It locks first, and reads the orders in a second statement: a change that it does not see waits, and makes its words null again.
CREATE FUNCTION core.write_order_words(at_most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  due uuid[] := ARRAY(SELECT id FROM core.order_words WHERE words IS NULL ORDER BY org_id, id LIMIT at_most FOR UPDATE SKIP LOCKED);
  written integer;
BEGIN
  UPDATE core.order_words w SET words = core.words_of_order(o) FROM core.orders o WHERE w.id = ANY (due) AND o.id = w.id;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END $$;
CREATE FUNCTION core.keep_rows_of_order_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO core.order_words (id, org_id) SELECT id, org_id FROM changed;
  ELSE
    DELETE FROM core.order_words w USING changed WHERE w.id = changed.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER order_words_insert AFTER INSERT ON core.orders REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.keep_rows_of_order_words();
CREATE TRIGGER order_words_delete AFTER DELETE ON core.orders REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.keep_rows_of_order_words();
CREATE FUNCTION core.await_order_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE core.order_words SET words = NULL WHERE id = NEW.id;
  RETURN NULL;
END $$;
-- Of the lines only the names are words; most changes are of amounts and prices.
CREATE TRIGGER order_words_update AFTER UPDATE ON core.orders FOR EACH ROW
  WHEN ((OLD.customer_name, OLD.customer_email, OLD.order_number, OLD.external_id)
      IS DISTINCT FROM (NEW.customer_name, NEW.customer_email, NEW.order_number, NEW.external_id)
    OR OLD.items IS DISTINCT FROM NEW.items
      AND jsonb_path_query_array(OLD.items, '$[*].name') IS DISTINCT FROM jsonb_path_query_array(NEW.items, '$[*].name'))
  EXECUTE FUNCTION core.await_order_words();

-- A null of a key removes it, a JSON null in place of the object all. The limit is that of libs/contracts/calls/metadata.ts.
CREATE FUNCTION core.merged_metadata(stored jsonb, given jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  merged jsonb := CASE WHEN given = 'null' THEN '{}' ELSE jsonb_strip_nulls(stored || given) END;
BEGIN
  IF (SELECT count(*) FROM jsonb_object_keys(merged)) > 20 THEN
    RAISE EXCEPTION 'more than 20 keys of metadata' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN merged;
END $$;

-- By months of the order's id, which is a UUID v7 and so rises with time.
CREATE TABLE core.order_history (
  order_id uuid NOT NULL,
  sequence integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  actor text NOT NULL,
  action text NOT NULL,
  fields jsonb NOT NULL,
  CONSTRAINT order_history_pkey PRIMARY KEY (order_id, sequence)
) PARTITION BY RANGE (order_id);
-- For erasures: finds e-mail addresses that an order had earlier.
CREATE INDEX order_history_customer_email ON core.order_history
  (translate(lower((fields ->> 'customer_email')), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž'))
  WHERE fields ->> 'customer_email' IS NOT NULL;
-- For rows of months without a partition: an insert never fails.
CREATE TABLE core.order_history_default PARTITION OF core.order_history DEFAULT;
-- The first partition ends with the beginning of the month in its name, at least 31 days ahead, at the smallest id of
-- that month. orders/history-months.ts adds the later months.
DO $$
DECLARE
  month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '31 days') + interval '1 month';
  milliseconds bigint := extract(epoch FROM month AT TIME ZONE 'UTC') * 1000;
BEGIN
  EXECUTE format(
    'CREATE TABLE core.order_history_before_%s PARTITION OF core.order_history FOR VALUES FROM (MINVALUE) TO (%L)',
    to_char(month, 'YYYY_MM'), rpad(lpad(to_hex(milliseconds), 12, '0'), 32, '0')::uuid);
END $$;

CREATE TABLE core.order_notes (
  id uuid CONSTRAINT order_notes_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  order_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  actor text NOT NULL,
  kind text NOT NULL,
  text_ciphertext bytea
);
CREATE INDEX order_notes_order ON core.order_notes (order_id, id);

-- A row names its product, because lines are replaced. Each change of the lots replaces all rows of the order, so `sequence` is
-- the version that wrote them.
CREATE TABLE core.order_lots (
  order_id uuid NOT NULL,
  sequence integer NOT NULL,
  number integer NOT NULL,
  org_id uuid NOT NULL,
  line integer,
  p1_id text,
  name text,
  lot text NOT NULL,
  expires_on date,
  test_number text,
  quantity integer NOT NULL,
  told_at timestamptz,
  CONSTRAINT order_lots_pkey PRIMARY KEY (order_id, sequence, number)
);
CREATE INDEX order_lots_lot ON core.order_lots (org_id, lot, order_id);

CREATE TABLE core.lot_holds (
  id uuid CONSTRAINT lot_holds_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  p1_id text NOT NULL,
  lot text NOT NULL,
  reason text NOT NULL,
  held_by text NOT NULL,
  held_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT lot_holds_lot UNIQUE (org_id, lot, p1_id)
);

-- As the contract's OrderLot. A function, so that statements on orders pay for it only where `has_lots` says so.
CREATE FUNCTION core.lots_of(packed uuid) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE RETURN (
  SELECT jsonb_agg(jsonb_build_object('line', l.line, 'p1_id', l.p1_id, 'name', l.name, 'lot', l.lot,
      'expires_on', l.expires_on, 'test_number', l.test_number, 'quantity', l.quantity) ORDER BY l.number)
  FROM core.order_lots l WHERE l.order_id = packed);

CREATE TABLE core.stock_claims (
  id uuid CONSTRAINT stock_claims_pkey PRIMARY KEY,
  order_id uuid,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Order requests.

CREATE TABLE core.order_requests (
  id uuid CONSTRAINT order_requests_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  source text NOT NULL,
  external_reference text,
  status text NOT NULL DEFAULT 'pending',
  attempt integer NOT NULL DEFAULT 0,
  attempt_lines bytea,
  sequence integer NOT NULL DEFAULT 1,
  version integer NOT NULL DEFAULT 1,
  version_at timestamptz,
  customer_name text,
  customer_digest bytea,
  line_words text NOT NULL DEFAULT '',
  lines_ciphertext bytea,
  line_count integer NOT NULL DEFAULT 0,
  shipping_option text,
  total_amount numeric(12,2) NOT NULL,
  payload_ciphertext bytea NOT NULL,
  payload_digest bytea NOT NULL,
  corrections_ciphertext bytea,
  override_ciphertext bytea,
  answer_ciphertext bytea,
  -- The last offer of the pharmacist.
  offer_ciphertext bytea,
  offer_state text,
  offer_version integer,
  offer_valid_until timestamptz,
  e_prescription_ciphertext bytea,
  e_prescription_digest bytea,
  document_erased boolean NOT NULL DEFAULT false,
  order_id uuid,
  reason text,
  note text,
  partner_message text,
  question text,
  decided_by text,
  erased_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  summary text NOT NULL,
  -- The first of two approvals (decision 0047).
  first_approved_by uuid,
  first_approved_at timestamptz,
  first_approval_digest bytea,
  first_approval_ciphertext bytea,
  first_approval_email_hash bytea,
  assigned_to uuid,
  parked_until timestamptz,
  metadata jsonb NOT NULL DEFAULT '{}',
  metadata_versions jsonb NOT NULL DEFAULT '{}',
  integration_id uuid,
  is_test boolean NOT NULL DEFAULT false
);
-- A request belongs to the integration that handed it in, else to the organization.
CREATE UNIQUE INDEX order_requests_reference
  ON core.order_requests (shop_id, source, external_reference, coalesce(integration_id, org_id));
-- A reference becomes one order of its sender, also where the order's external id is another.
CREATE UNIQUE INDEX order_requests_approved_reference
  ON core.order_requests (shop_id, external_reference, coalesce(integration_id, org_id)) WHERE status = 'approved';
CREATE INDEX order_requests_org_created ON core.order_requests (org_id, created_at, id);
CREATE INDEX order_requests_org_updated ON core.order_requests (org_id, updated_at, id);
CREATE INDEX order_requests_org_shop_created ON core.order_requests (org_id, shop_id, created_at, id);
-- The tabs of the review list: open and asked by their status, decided and second look by an index each.
CREATE INDEX order_requests_org_status_created ON core.order_requests (org_id, status, created_at, id);
CREATE INDEX order_requests_decided ON core.order_requests (org_id, created_at, id)
  WHERE status IN ('approved', 'rejected', 'expired', 'cancelled');
CREATE INDEX order_requests_second_look ON core.order_requests (org_id, created_at, id)
  WHERE status = 'pending' AND first_approved_by IS NOT NULL;
-- For erasures: the e-mail to which the first of two approvals corrects.
CREATE INDEX order_requests_first_email ON core.order_requests (org_id, first_approval_email_hash, id)
  WHERE first_approval_email_hash IS NOT NULL;
CREATE INDEX order_requests_parked ON core.order_requests (org_id, parked_until)
  WHERE status = 'pending' AND parked_until IS NOT NULL;
CREATE INDEX order_requests_customer ON core.order_requests (org_id, customer_digest, created_at);
-- As documents_sha256.
CREATE INDEX order_requests_e_prescription ON core.order_requests (org_id, e_prescription_digest,
  (CASE WHEN status = 'cancelled' THEN coalesce(integration_id, org_id) END), created_at, id)
  WHERE e_prescription_digest IS NOT NULL;
CREATE INDEX order_requests_open ON core.order_requests (created_at)
  WHERE status IN ('pending', 'needs_clarification');
CREATE INDEX order_requests_offers ON core.order_requests (offer_valid_until) WHERE offer_state = 'open';

CREATE INDEX order_requests_test ON core.order_requests (updated_at) WHERE is_test AND status = 'pending';
CREATE INDEX order_requests_test_created ON core.order_requests (created_at) WHERE is_test;
-- Those that have become an order change with it alone: orders_own.
CREATE INDEX order_requests_own ON core.order_requests (shop_id, integration_id, status, updated_at, id)
  WHERE order_id IS NULL AND integration_id IS NOT NULL;

-- The JSON text of a request in the list, as of an order.
CREATE FUNCTION core.summarize_order_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.summary := '{"id":"' || NEW.id || '","status":"' || NEW.status || '","shop_id":"' || NEW.shop_id
    || '","source":' || to_json(NEW.source)
    || ',"external_reference":' || coalesce(to_json(NEW.external_reference)::text, 'null')
    || ',"customer_name":' || coalesce(to_json(NEW.customer_name)::text, 'null')
    || ',"total_amount":' || trim_scale(NEW.total_amount)
    || ',"order_id":' || coalesce('"' || NEW.order_id || '"', 'null')
    || ',"created_at":' || to_json(date_trunc('milliseconds', NEW.created_at AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)
    || 'Z","updated_at":' || to_json(date_trunc('milliseconds', NEW.updated_at AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)
    || CASE WHEN NEW.is_test THEN 'Z","test":true}' ELSE 'Z"}' END;
  RETURN NEW;
END $$;
CREATE TRIGGER order_request_summary BEFORE INSERT OR UPDATE ON core.order_requests
  FOR EACH ROW EXECUTE FUNCTION core.summarize_order_request();

CREATE TABLE core.order_request_words (
  id uuid CONSTRAINT order_request_words_pkey PRIMARY KEY,
  words tsvector NOT NULL
);
CREATE INDEX order_request_words_words ON core.order_request_words USING gin (words);
CREATE FUNCTION core.keep_order_request_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM core.order_request_words WHERE id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO core.order_request_words (id, words) VALUES (NEW.id,
      core.words_of(right(NEW.org_id::text, 8), NEW.customer_name, NEW.line_words, NEW.external_reference));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER order_request_words AFTER INSERT OR DELETE ON core.order_requests
  FOR EACH ROW EXECUTE FUNCTION core.keep_order_request_words();
CREATE TRIGGER order_request_words_update AFTER UPDATE ON core.order_requests FOR EACH ROW
  WHEN ((OLD.id, OLD.org_id, OLD.customer_name, OLD.external_reference, OLD.line_words)
    IS DISTINCT FROM (NEW.id, NEW.org_id, NEW.customer_name, NEW.external_reference, NEW.line_words))
  EXECUTE FUNCTION core.keep_order_request_words();

CREATE TABLE core.order_request_versions (
  order_request_id uuid NOT NULL,
  number integer NOT NULL,
  org_id uuid NOT NULL,
  payload_ciphertext bytea NOT NULL,
  payload_digest bytea NOT NULL,
  customer_digest bytea,
  question text,
  created_at timestamptz NOT NULL,
  e_prescription_digest bytea,
  withdrawn_by uuid,
  CONSTRAINT order_request_versions_pkey PRIMARY KEY (order_request_id, number)
);
CREATE INDEX order_request_versions_customer ON core.order_request_versions (org_id, customer_digest);
CREATE INDEX order_request_versions_e_prescription ON core.order_request_versions (org_id, e_prescription_digest, withdrawn_by, created_at,
  order_request_id)
  WHERE e_prescription_digest IS NOT NULL;

-- What a test shop refused once on purpose, by SHA-256 of the reference.
CREATE TABLE core.refused_trials (
  shop_id uuid NOT NULL,
  sender_id uuid NOT NULL,
  reference_digest bytea NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT refused_trials_pkey PRIMARY KEY (shop_id, sender_id, reference_digest)
);
CREATE INDEX refused_trials_refused ON core.refused_trials (refused_at);

-- Steps of the certification that integrations have done at test shops, each when it was done first.
CREATE TABLE core.certified_steps (
  shop_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  step text NOT NULL,
  request_id text NOT NULL,
  done_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT certified_steps_pkey PRIMARY KEY (shop_id, integration_id, step)
);

-- Review.

CREATE TABLE core.review_marks (
  order_request_id uuid NOT NULL,
  version integer NOT NULL,
  marked_by text NOT NULL,
  org_id uuid NOT NULL,
  signature_seen boolean NOT NULL DEFAULT false,
  prescriber_checked boolean NOT NULL DEFAULT false,
  dose_plausible boolean NOT NULL DEFAULT false,
  rest_not_needed boolean NOT NULL DEFAULT false,
  changed_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT review_marks_pkey PRIMARY KEY (order_request_id, version, marked_by)
);

CREATE TABLE core.review_notes (
  order_request_id uuid NOT NULL,
  version integer NOT NULL,
  org_id uuid NOT NULL,
  issued_on date,
  document_kind text,
  note_ciphertext bytea,
  CONSTRAINT review_notes_pkey PRIMARY KEY (order_request_id, version)
);

-- Ticks of the day's check.
CREATE TABLE core.day_checks (
  order_request_id uuid CONSTRAINT day_checks_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  checked_by uuid NOT NULL,
  checked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX day_checks_checked ON core.day_checks (checked_at);

CREATE TABLE core.review_settings (
  org_id uuid NOT NULL,
  version integer NOT NULL,
  marks text[] NOT NULL,
  marks_only_for_thc boolean NOT NULL,
  amber_days integer NOT NULL,
  red_days integer NOT NULL,
  templates jsonb NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  four_eyes text NOT NULL DEFAULT 'off',
  four_eyes_categories text[] NOT NULL DEFAULT '{}',
  CONSTRAINT review_settings_pkey PRIMARY KEY (org_id)
);

-- Prescribers whom the organization has checked, each by a keyed hash (prescribers.store.ts).
CREATE TABLE core.checked_prescribers (
  org_id uuid NOT NULL,
  identity bytea NOT NULL,
  checked_by text NOT NULL,
  checked_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT checked_prescribers_pkey PRIMARY KEY (org_id, identity)
);

CREATE TABLE core.review_views (
  session_id text NOT NULL,
  document_id uuid NOT NULL,
  viewed_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT review_views_pkey PRIMARY KEY (session_id, document_id)
);
CREATE INDEX review_views_viewed ON core.review_views (viewed_at);

-- Rules of the statements in orders/orders/sql: `o` is an order as stored, `n` as its patch wants it, `w` as written. Each is one
-- expression, which PostgreSQL puts into the plan of the statement; a spec refuses a plan with a call of one. What needs a query
-- is a function by itself, which few orders reach.

-- CLOSED_STATUSES of libs/contracts/orders/settings.ts; those but `cancelled` sell what is reserved.
CREATE FUNCTION core.is_closed(status text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  status IN ('shipped', 'picked_up', 'completed', 'cancelled');
CREATE FUNCTION core.is_sold(status text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  status IN ('shipped', 'picked_up', 'completed');

-- DROPPED_WHEN_ERASED of order-patch.ts: an erased order takes no customer data.
CREATE FUNCTION core.dropped_when_erased(erased_at timestamptz) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN erased_at IS NULL THEN '{}'::text[]
    ELSE '{customer_name,customer_email,address_street,address_city,address_postal_code,address_phone,metadata}'::text[] END;

CREATE FUNCTION core.sum_of_lines(items jsonb) RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE RETURN (
  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
  FROM jsonb_array_elements(items) item);

-- The patch without a computed total where the order has a given one. A given total that equals the one that the lines make is
-- not a change: the total goes on following them.
CREATE FUNCTION core.effective_patch(o core.orders, patch jsonb) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE
    WHEN o.total_is_given AND patch @> '{"total_is_given": false}' THEN patch - '{total_amount,total_is_given}'::text[]
    WHEN NOT o.total_is_given AND patch @> '{"total_is_given": true}'
      AND (patch ->> 'total_amount')::numeric
        = CASE WHEN patch ? 'items' THEN core.sum_of_lines(patch -> 'items') ELSE o.total_amount END
      THEN patch || '{"total_is_given": false}'
    ELSE patch
  END - core.dropped_when_erased(o.erased_at);

-- The order as the patch wants it. `needs_stored` (order-patch.ts): null becomes the default of a new order, a cleared total the
-- sum of the lines, and metadata are merged.
CREATE FUNCTION core.patched_order(o core.orders, patch jsonb, needs_stored boolean) RETURNS core.orders
LANGUAGE sql STABLE PARALLEL SAFE RETURN
  jsonb_populate_record(o, core.effective_patch(o, patch) || CASE WHEN NOT needs_stored THEN '{}' ELSE
    -- numeric(10,2) ends at MAX_MONEY, so a larger sum fails the statement.
    CASE WHEN patch @> '{"total_is_given": null}' THEN jsonb_build_object('total_is_given', false, 'total_amount', coalesce(
      (patch ->> 'total_amount')::float8, core.sum_of_lines(coalesce(patch -> 'items', o.items))::numeric(10,2)::float8))
      ELSE '{}' END
    || CASE WHEN patch @> '{"payment_status": null}' THEN jsonb_build_object('payment_status',
      CASE WHEN coalesce((patch ->> 'cash_on_pickup')::boolean, o.cash_on_pickup) THEN 'cash_on_pickup' ELSE 'pending' END)
      ELSE '{}' END
    || CASE WHEN patch ? 'metadata' AND o.erased_at IS NULL
      THEN jsonb_build_object('metadata', core.merged_metadata(o.metadata, patch -> 'metadata')) ELSE '{}' END
  END);

-- Of the setting; two people approved the request (decision 0047).
CREATE FUNCTION core.refuses_closed(org uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE RETURN (
  SELECT g.closed_orders = 'refuse' FROM core.organizations g WHERE g.id = org);
CREATE FUNCTION core.is_approved_by_two(request uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE RETURN (
  SELECT r.first_approved_by IS NOT NULL AND s.four_eyes <> 'off'
  FROM core.order_requests r JOIN core.review_settings s ON s.org_id = r.org_id WHERE r.id = request);

-- What a closed order keeps. Of `total_is_given`: its lines and so its total stay.
CREATE FUNCTION core.kept_when_closed(o core.orders) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE RETURN
  to_jsonb(o) - '{payment_status,payment_reference,shipped,picked_up,cash_on_pickup,metadata,total_is_given}'::text[];

-- Why the order is not changed; null if it may be. The cheap conditions come first.
CREATE FUNCTION core.order_refusal(o core.orders, n core.orders, force boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE
    WHEN o.order_request_id IS NOT NULL
      AND (n.items, n.customer_name, n.customer_email, n.address_street, n.address_city, n.address_postal_code, n.address_phone)
        IS DISTINCT FROM
          (o.items, o.customer_name, o.customer_email, o.address_street, o.address_city, o.address_postal_code, o.address_phone)
      AND core.is_approved_by_two(o.order_request_id) THEN 'needs_two'
    WHEN core.is_closed(o.status) AND NOT force AND core.kept_when_closed(n) <> core.kept_when_closed(o)
      AND core.refuses_closed(o.org_id) THEN 'closed'
  END;

-- The members of what the sender of its request reads back of an order that differ (libs/contracts/requests/partner-answer.ts);
-- null for none.
CREATE FUNCTION core.read_back_change(o core.orders, n core.orders) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE RETURN (
  SELECT jsonb_agg(name) FROM (VALUES
    ('items', o.items <> n.items),
    ('total_amount', o.total_amount <> n.total_amount),
    ('shipping_option', o.shipping_option IS DISTINCT FROM n.shipping_option),
    ('payment_status', o.payment_status <> n.payment_status),
    ('shipped', o.shipped <> n.shipped),
    ('picked_up', o.picked_up <> n.picked_up)) member (name, differs)
  WHERE differs);

-- What the event of an update says of it: of the payment alone, or of an order that came from a request; null for any other.
CREATE FUNCTION core.event_change(o core.orders, n core.orders, patch jsonb) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE WHEN patch ?| '{payment_status,payment_reference}'
      AND jsonb_populate_record(n, jsonb_build_object('payment_status', o.payment_status,
        'payment_reference', o.payment_reference)) IS NOT DISTINCT FROM o
    THEN jsonb_build_object('old_payment_status', o.payment_status, 'changed', array_remove(ARRAY[
      CASE WHEN o.payment_status IS DISTINCT FROM n.payment_status THEN 'payment_status' END,
      CASE WHEN o.payment_reference IS DISTINCT FROM n.payment_reference THEN 'payment_reference' END], NULL))
    WHEN o.order_request_id IS NOT NULL THEN jsonb_build_object('changed', core.read_back_change(o, n)) END;

-- The integration whose callback reports the update: it reads back something else than before.
CREATE FUNCTION core.notified_integration(w core.orders) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE RETURN (
  CASE WHEN w.event_change -> 'changed' ?| '{items,total_amount,shipping_option,payment_status,shipped,picked_up}'::text[]
    THEN w.integration_id END);

-- The patch, with total, payment status and metadata as stored: a given total stays, null is a default, keys are merged.
CREATE FUNCTION core.history_fields(w core.orders, patch jsonb, rest jsonb, needs_stored boolean) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE
    WHEN w.sequence > 1 AND NOT needs_stored AND NOT patch @> jsonb_build_object('total_is_given', NOT w.total_is_given) THEN patch
    ELSE patch
      || CASE WHEN w.sequence = 1 THEN rest ELSE
        CASE WHEN patch ? 'total_is_given'
          THEN jsonb_build_object('total_amount', w.total_amount::float8, 'total_is_given', w.total_is_given) ELSE '{}' END
        || CASE WHEN patch ? 'payment_status' THEN jsonb_build_object('payment_status', w.payment_status) ELSE '{}' END
      END
      || CASE WHEN patch ? 'metadata' THEN jsonb_build_object('metadata', w.metadata) ELSE '{}' END
  END
  - CASE WHEN patch ?| '{stock_claim_id,erased_at}' THEN '{stock_claim_id,erased_at,stock}'::text[] ELSE '{}'::text[] END
  - core.dropped_when_erased(w.erased_at);

-- The catalog follows the topic `stock` only.
CREATE FUNCTION core.order_topic(is_test boolean, request uuid, claim uuid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE WHEN is_test OR num_nonnulls(request, claim) = 0 THEN 'plain' ELSE 'stock' END;

CREATE FUNCTION core.order_event_type(w core.orders) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE WHEN w.sequence = 1 THEN 'order_created' WHEN w.event_change ? 'old_payment_status' THEN 'order_payment_updated'
    ELSE 'order_updated' END;
CREATE FUNCTION core.order_event_title(w core.orders) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN
  CASE WHEN w.sequence = 1 THEN 'Order created' WHEN w.event_change ? 'old_payment_status' THEN 'Order payment updated'
    ELSE 'Order changed' END;

-- The body of the event, as json_build_object would write it: that looks up types and escapes names per row. One null would make
-- the whole text null.
CREATE FUNCTION core.order_event(w core.orders, event_id uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN
  '{"id" : "' || event_id || '", "org_id" : "' || w.org_id || '", "event_type" : "' || core.order_event_type(w)
  || '", "title" : "' || core.order_event_title(w)
  || '", "description" : ' || to_json(core.order_event_title(w) || ' (' || w.external_id || ')')
  || ', "metadata" : {"order_id" : "' || w.id || '", "shop_id" : "' || w.shop_id
  || CASE WHEN w.event_change ? 'old_payment_status'
    THEN '", "order_request_id" : ' || coalesce('"' || w.order_request_id || '"', 'null')
      || ', "old_payment_status" : "' || (w.event_change ->> 'old_payment_status')
      || '", "new_payment_status" : "' || w.payment_status || '"'
    ELSE '", "status" : "' || w.status
      || '", "order_request_id" : ' || coalesce('"' || w.order_request_id || '"', 'null')
      || ', "stock_claim_id" : ' || coalesce('"' || w.stock_claim_id || '"', 'null')
    END
  || coalesce(', "changed" : ' || (w.event_change ->> 'changed'), '')
  || ', "sequence" : ' || w.sequence || CASE WHEN w.is_test THEN ', "test" : true' ELSE '' END
  || '}, "created_at" : "' || core.iso(w.updated_at) || '"}';

-- Prescriptions and documents.

CREATE TABLE core.prescriptions (
  id uuid CONSTRAINT prescriptions_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  upsert_key bytea NOT NULL,
  body_digest bytea NOT NULL,
  receipt_digest bytea,
  customer_email_hash bytea,
  total_amount numeric(12,2),
  summary_ciphertext bytea NOT NULL,
  body_ciphertext bytea NOT NULL,
  e_prescription_ciphertext bytea,
  sequence integer NOT NULL DEFAULT 1,
  erased_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  is_test boolean NOT NULL DEFAULT false,
  CONSTRAINT prescriptions_shop_key UNIQUE (shop_id, upsert_key)
);
-- Ciphertext does not compress: external uncompressed storage saves the attempt.
ALTER TABLE core.prescriptions ALTER COLUMN body_ciphertext SET STORAGE EXTERNAL;
CREATE INDEX prescriptions_org_created ON core.prescriptions (org_id, created_at, id);
CREATE INDEX prescriptions_org_updated ON core.prescriptions (org_id, updated_at, id);
CREATE INDEX prescriptions_customer ON core.prescriptions (org_id, customer_email_hash);
CREATE INDEX prescriptions_test_created ON core.prescriptions (created_at) WHERE is_test;

CREATE TABLE core.documents (
  id uuid CONSTRAINT documents_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  order_request_id uuid,
  prescription_id uuid,
  version integer NOT NULL DEFAULT 1,
  -- Of the documents that a request has, the payload's is number 1; a later payload's takes its place.
  number integer NOT NULL DEFAULT 1,
  is_replaced boolean NOT NULL DEFAULT false,
  kind text NOT NULL DEFAULT 'prescription',
  name text,
  state text NOT NULL,
  url_ciphertext bytea,
  failure text,
  next_fetch_at timestamptz,
  fetch_attempts integer NOT NULL DEFAULT 0,
  sha256 bytea,
  size_bytes integer,
  ciphertext bytea,
  signature text,
  pages integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  object_name uuid,
  customer_email_hash bytea,
  withdrawn_by uuid,
  CONSTRAINT documents_owner CHECK (num_nonnulls(order_request_id, prescription_id) = 1)
);
ALTER TABLE core.documents ALTER COLUMN ciphertext SET STORAGE EXTERNAL;
CREATE INDEX documents_request ON core.documents (order_request_id, version);
CREATE INDEX documents_prescription ON core.documents (prescription_id);
CREATE INDEX documents_customer ON core.documents (org_id, customer_email_hash) WHERE customer_email_hash IS NOT NULL;
-- The first of those with one content is found without reading the others, and apart from those that a sender has withdrawn.
CREATE INDEX documents_sha256 ON core.documents (org_id, sha256, withdrawn_by, created_at, id);
CREATE INDEX documents_waiting ON core.documents (next_fetch_at) WHERE state = 'waiting';
CREATE INDEX documents_to_move ON core.documents (created_at)
  WHERE ciphertext IS NOT NULL AND order_request_id IS NOT NULL;
CREATE INDEX documents_moved ON core.documents (object_name) WHERE object_name IS NOT NULL;

-- Objects of the document store that are to be deleted (decision 0067). The trigger makes every deletion of a document
-- a deletion of its object.
CREATE TABLE core.loose_objects (
  name uuid CONSTRAINT loose_objects_pkey PRIMARY KEY,
  document_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX loose_objects_due ON core.loose_objects (due_at);
CREATE UNIQUE INDEX loose_objects_document ON core.loose_objects (document_id);

CREATE FUNCTION core.loosen_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.loose_objects (name) VALUES (OLD.object_name);
  RETURN NULL;
END $$;
CREATE TRIGGER loosen_object AFTER DELETE ON core.documents
  FOR EACH ROW WHEN (OLD.object_name IS NOT NULL) EXECUTE FUNCTION core.loosen_object();

-- Audit and erasures.

CREATE TABLE core.audit_log (
  position bigserial CONSTRAINT audit_log_pkey PRIMARY KEY,
  org_id uuid,
  at timestamptz NOT NULL DEFAULT now(),
  actor text NOT NULL,
  action text NOT NULL,
  object text NOT NULL,
  request_id text NOT NULL,
  record_id uuid
);
CREATE INDEX audit_log_org ON core.audit_log (org_id, position);
CREATE INDEX audit_log_time ON core.audit_log (org_id, at, position);
-- Programs make most entries, and only those of people are searched by actor: this index costs calls of programs nothing.
CREATE INDEX audit_log_staff ON core.audit_log (org_id, actor, position) WHERE left(actor, 6) = 'staff:';
-- The history of one object. Its entries may say more after its id: `order-request:<id>:overrides:2`.
CREATE INDEX audit_log_object ON core.audit_log (org_id, object text_pattern_ops, position);
-- Each record of another service is entered once.
CREATE UNIQUE INDEX audit_log_record ON core.audit_log (record_id) WHERE record_id IS NOT NULL;

CREATE TABLE core.audit_seals (
  position bigint CONSTRAINT audit_seals_pkey PRIMARY KEY,
  hash bytea NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);

-- The service's role owns the tables, so missing privileges alone cannot make them append-only.
CREATE FUNCTION core.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP;
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON core.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_change();
CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON core.audit_seals
  FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_change();

CREATE TABLE core.audit_checkpoints (
  id smallint CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
  position bigint NOT NULL,
  seal bytea NOT NULL,
  checked bigint NOT NULL,
  mac bytea NOT NULL
);

CREATE TABLE core.erasures (
  id uuid CONSTRAINT erasures_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  email_hash bytea,
  email_ciphertext bytea,
  object_kind text,
  object_id uuid,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  request_id text NOT NULL,
  orders integer NOT NULL DEFAULT 0,
  order_requests integer NOT NULL DEFAULT 0,
  prescriptions integer NOT NULL DEFAULT 0,
  events integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  vacuumed_at timestamptz,
  CONSTRAINT erasures_subject CHECK (num_nonnulls(email_hash, object_id) = 1)
);
CREATE INDEX erasures_unfinished ON core.erasures (created_at) WHERE finished_at IS NULL;
CREATE INDEX erasures_not_vacuumed ON core.erasures (finished_at) WHERE vacuumed_at IS NULL;

-- Counters for the exact totals of lists (decision 0017) and for reports. Triggers write the deltas, so that every
-- writer counts: each version of a roll-out, and a statement in psql.

-- Rows live for about a second. A list walks past dead rows, so vacuum must follow their number, not the table's size.
CREATE TABLE core.row_count_deltas (
  position bigserial CONSTRAINT row_count_deltas_pkey PRIMARY KEY,
  counted text NOT NULL,
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  status text NOT NULL,
  day date NOT NULL,
  amount integer NOT NULL
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
CREATE INDEX row_count_deltas_org ON core.row_count_deltas (org_id, counted);

CREATE TABLE core.row_counts (
  counted text NOT NULL,
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  status text NOT NULL,
  day date NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT row_counts_pkey PRIMARY KEY (org_id, counted, shop_id, status, day)
) WITH (fillfactor = 50);

-- Inserts and deletes of orders and requests, by UTC day: once per statement, for all its rows. The argument is the
-- sign, here and below. Lists count rows of test shops apart, reports do not count them.
CREATE FUNCTION core.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  SELECT TG_TABLE_NAME || CASE WHEN is_test THEN '_test' ELSE '' END, org_id, shop_id, status,
         (created_at AT TIME ZONE 'UTC')::date, TG_ARGV[0]::integer * count(*)
  FROM changed GROUP BY is_test, org_id, shop_id, status, (created_at AT TIME ZONE 'UTC')::date;
  RETURN NULL;
END $$;
-- Updates: per row, and only for rows whose counted columns changed, because most updates change none.
CREATE FUNCTION core.count_moved_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted text := TG_TABLE_NAME || CASE WHEN NEW.is_test THEN '_test' ELSE '' END;
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  VALUES (counted, OLD.org_id, OLD.shop_id, OLD.status, (OLD.created_at AT TIME ZONE 'UTC')::date, -1),
         (counted, NEW.org_id, NEW.shop_id, NEW.status, (NEW.created_at AT TIME ZONE 'UTC')::date, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER row_counts_insert AFTER INSERT ON core.orders REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_rows('1');
CREATE TRIGGER row_counts_delete AFTER DELETE ON core.orders REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_rows('-1');
CREATE TRIGGER row_counts_update AFTER UPDATE ON core.orders FOR EACH ROW
  WHEN ((OLD.org_id, OLD.shop_id, OLD.status, OLD.created_at)
        IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.status, NEW.created_at))
  EXECUTE FUNCTION core.count_moved_row();
CREATE TRIGGER row_counts_insert AFTER INSERT ON core.order_requests REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_rows('1');
CREATE TRIGGER row_counts_delete AFTER DELETE ON core.order_requests REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_rows('-1');
CREATE TRIGGER row_counts_update AFTER UPDATE ON core.order_requests FOR EACH ROW
  WHEN ((OLD.org_id, OLD.shop_id, OLD.status, OLD.created_at)
        IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.status, NEW.created_at))
  EXECUTE FUNCTION core.count_moved_row();

-- Prescriptions for reports, by German day: those that were ingested, and order requests that have or had a document.
CREATE FUNCTION core.count_prescriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  SELECT 'prescriptions', org_id, shop_id, 'ingested', (created_at AT TIME ZONE 'Europe/Berlin')::date, TG_ARGV[0]::integer * count(*)
  FROM changed WHERE NOT is_test GROUP BY org_id, shop_id, (created_at AT TIME ZONE 'Europe/Berlin')::date;
  RETURN NULL;
END $$;
CREATE TRIGGER row_counts_insert AFTER INSERT ON core.prescriptions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_prescriptions('1');
CREATE TRIGGER row_counts_delete AFTER DELETE ON core.prescriptions REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_prescriptions('-1');

-- The first prescription of a request. Per row, because a table of new rows would hold a copy of each document. Of a
-- request, a statement inserts one document.
CREATE FUNCTION core.count_first_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  SELECT 'prescriptions', r.org_id, r.shop_id, 'order_request', (r.created_at AT TIME ZONE 'Europe/Berlin')::date, 1
  FROM core.order_requests r
  WHERE r.id = NEW.order_request_id AND NOT r.document_erased AND NOT r.is_test
    AND NOT EXISTS (SELECT FROM core.documents d WHERE d.order_request_id = r.id AND d.kind = NEW.kind AND d.id <> NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER row_counts_insert AFTER INSERT ON core.documents
  FOR EACH ROW WHEN (NEW.order_request_id IS NOT NULL AND NEW.kind = 'prescription')
  EXECUTE FUNCTION core.count_first_document();
-- The last prescription. An erasure sets document_erased: its request stays counted.
CREATE FUNCTION core.count_last_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  SELECT 'prescriptions', r.org_id, r.shop_id, 'order_request', (r.created_at AT TIME ZONE 'Europe/Berlin')::date, -1
  FROM core.order_requests r
  WHERE r.id IN (SELECT order_request_id FROM changed WHERE kind = 'prescription') AND NOT r.document_erased AND NOT r.is_test
    AND NOT EXISTS (SELECT FROM core.documents d WHERE d.order_request_id = r.id AND d.kind = 'prescription');
  RETURN NULL;
END $$;
CREATE TRIGGER row_counts_delete AFTER DELETE ON core.documents REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_last_document();

-- Order requests for reports: their number by German day and status, and the rejected ones by day and reason, which is
-- written as the status.
CREATE FUNCTION core.count_request_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  SELECT k.counted, c.org_id, c.shop_id, k.value, (c.created_at AT TIME ZONE 'Europe/Berlin')::date, TG_ARGV[0]::integer * count(*)
  FROM changed c, LATERAL (VALUES ('request_days', c.status), ('rejections', CASE c.status WHEN 'rejected' THEN c.reason END)) k (counted, value)
  WHERE NOT c.is_test AND k.value IS NOT NULL GROUP BY 1, 2, 3, 4, 5;
  RETURN NULL;
END $$;
CREATE FUNCTION core.count_moved_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
  SELECT k.counted, r.org_id, r.shop_id, k.value, (r.created_at AT TIME ZONE 'Europe/Berlin')::date, r.amount
  FROM (VALUES (OLD.org_id, OLD.shop_id, OLD.status, OLD.reason, OLD.created_at, -1),
               (NEW.org_id, NEW.shop_id, NEW.status, NEW.reason, NEW.created_at, 1)) r (org_id, shop_id, status, reason, created_at, amount),
    LATERAL (VALUES ('request_days', r.status), ('rejections', CASE r.status WHEN 'rejected' THEN r.reason END)) k (counted, value)
  WHERE k.value IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER request_days_insert AFTER INSERT ON core.order_requests REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_request_days('1');
CREATE TRIGGER request_days_delete AFTER DELETE ON core.order_requests REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.count_request_days('-1');
CREATE TRIGGER request_days_update AFTER UPDATE ON core.order_requests FOR EACH ROW
  WHEN (NOT NEW.is_test AND (OLD.org_id, OLD.shop_id, OLD.status, OLD.reason, OLD.created_at)
        IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.status, NEW.reason, NEW.created_at))
  EXECUTE FUNCTION core.count_moved_request();

-- Daily sums of orders for reports, from deltas as the counters.

CREATE TABLE core.daily_sum_deltas (
  position bigserial CONSTRAINT daily_sum_deltas_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  day date NOT NULL,
  status text NOT NULL,
  refunded boolean NOT NULL,
  customer bytea,
  orders integer NOT NULL,
  amount numeric NOT NULL
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
CREATE INDEX daily_sum_deltas_org ON core.daily_sum_deltas (org_id);

CREATE TABLE core.daily_sums (
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  day date NOT NULL,
  status text NOT NULL,
  refunded boolean NOT NULL,
  orders integer NOT NULL,
  with_customer integer NOT NULL,
  amount numeric NOT NULL,
  CONSTRAINT daily_sums_pkey PRIMARY KEY (org_id, shop_id, day, status, refunded)
) WITH (fillfactor = 50);

CREATE TABLE core.customer_days (
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  customer bytea NOT NULL,
  day date NOT NULL,
  orders integer NOT NULL,
  CONSTRAINT customer_days_pkey PRIMARY KEY (org_id, shop_id, customer, day)
);

CREATE TABLE core.customer_gaps (
  org_id uuid NOT NULL,
  shop_id uuid NOT NULL,
  day date NOT NULL,
  nth integer NOT NULL,
  orders integer[] NOT NULL,
  CONSTRAINT customer_gaps_pkey PRIMARY KEY (org_id, shop_id, day, nth)
) WITH (fillfactor = 50);

-- The identity of a customer in reports.store.ts, as a hash: no second table holds e-mail addresses as text.
CREATE FUNCTION core.customer_key(email text, name text) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE RETURN
  substring(sha256(convert_to(translate(lower(coalesce('e:' || normalize(nullif(btrim(email), ''), NFC),
    'n:' || nullif(btrim(name), ''))), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž'), 'UTF8')) FROM 1 FOR 16);

-- A cancelled order has no customer.
CREATE FUNCTION core.sum_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.daily_sum_deltas (org_id, shop_id, day, status, refunded, customer, orders, amount)
  SELECT o.org_id, o.shop_id, (o.created_at AT TIME ZONE 'Europe/Berlin')::date, o.status,
         o.payment_status = 'refunded',
         CASE WHEN o.status <> 'cancelled' THEN core.customer_key(o.customer_email, o.customer_name) END,
         TG_ARGV[0]::integer, TG_ARGV[0]::integer * o.total_amount FROM changed o WHERE NOT o.is_test;
  RETURN NULL;
END $$;
CREATE FUNCTION core.sum_changed_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO core.daily_sum_deltas (org_id, shop_id, day, status, refunded, customer, orders, amount)
  VALUES (OLD.org_id, OLD.shop_id, (OLD.created_at AT TIME ZONE 'Europe/Berlin')::date, OLD.status,
          OLD.payment_status = 'refunded',
          CASE WHEN OLD.status <> 'cancelled' THEN core.customer_key(OLD.customer_email, OLD.customer_name) END,
          -1, -OLD.total_amount),
         (NEW.org_id, NEW.shop_id, (NEW.created_at AT TIME ZONE 'Europe/Berlin')::date, NEW.status,
          NEW.payment_status = 'refunded',
          CASE WHEN NEW.status <> 'cancelled' THEN core.customer_key(NEW.customer_email, NEW.customer_name) END,
          1, NEW.total_amount);
  RETURN NULL;
END $$;
CREATE TRIGGER daily_sums_insert AFTER INSERT ON core.orders REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.sum_orders('1');
CREATE TRIGGER daily_sums_delete AFTER DELETE ON core.orders REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION core.sum_orders('-1');
CREATE TRIGGER daily_sums_update AFTER UPDATE ON core.orders FOR EACH ROW
  WHEN (NOT NEW.is_test AND (OLD.org_id, OLD.shop_id, OLD.created_at, OLD.status, OLD.total_amount, OLD.customer_email,
         OLD.customer_name, OLD.payment_status = 'refunded')
        IS DISTINCT FROM (NEW.org_id, NEW.shop_id, NEW.created_at, NEW.status, NEW.total_amount, NEW.customer_email,
         NEW.customer_name, NEW.payment_status = 'refunded'))
  EXECUTE FUNCTION core.sum_changed_order();

-- Bus: events to send, messages that cannot be processed, idempotency keys (libs/events, libs/idempotency).

CREATE TABLE core.outbox (
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
CREATE INDEX outbox_unpublished ON core.outbox (position) WHERE published_at IS NULL;

CREATE TABLE core.set_aside (
  id text CONSTRAINT set_aside_pkey PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  event_id uuid,
  reason text NOT NULL,
  content bytea NOT NULL,
  set_aside_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX set_aside_event ON core.set_aside (event_id) WHERE event_id IS NOT NULL;

CREATE TABLE core.idempotency_keys (
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
CREATE INDEX idempotency_keys_created ON core.idempotency_keys (created_at);
-- For erasures.
CREATE INDEX idempotency_keys_object ON core.idempotency_keys (object_id) WHERE object_id IS NOT NULL;
